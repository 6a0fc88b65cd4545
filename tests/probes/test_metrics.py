"""Prometheus text to cumulative counters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.core.counters import Counters
from matrix.probes.metrics import read_counters
from tests.probes.conftest import NAMES

TEXT = """
# HELP vllm:spec_decode_num_drafts_total Number of drafts.
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{engine="0",model_name="a b\\"c"} 40.0
vllm:spec_decode_num_drafts_total{engine="1",model_name="a b\\"c"} 2.0
vllm:spec_decode_num_drafts_created{engine="0",model_name="m"} 1.79e+09
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="m"} 126
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="m"} 51.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="2"} 7.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="0"} 30.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",model_name="m",position="1"} 14.0
vllm:inter_token_latency_seconds_bucket{engine="0",le="0.1"} 12.0
vllm:inter_token_latency_seconds_count{engine="0",model_name="m"} 43.0
vllm:inter_token_latency_seconds_sum{engine="0",model_name="m"} 0.7
vllm:generation_tokens_total{engine="0",model_name="m"} 96.0
"""


def test_counts_are_summed_over_engines_and_positions_sorted() -> None:
    assert read_counters(TEXT, NAMES) == Counters(42, 126, 51, (30, 14, 7), 43, 96, requests=0)


@pytest.mark.parametrize("text", [None, "", "# nothing here\npython_info 1.0\n", "\x00\xff{{{"])
def test_nothing_told_is_unknown(text: str | None) -> None:
    assert read_counters(text, NAMES) == Counters(requests=0)


DIFFUSION = """
vllm:diffusion_num_denoising_steps_total{engine="0",model_name="m"} 16.0
vllm:diffusion_num_canvas_positions_total{engine="0",model_name="m"} 128.0
vllm:diffusion_num_committed_tokens_total{engine="0",model_name="m"} 64.0
"""


def test_a_diffusion_model_has_no_drafts_to_count() -> None:
    assert read_counters(DIFFUSION, NAMES) == Counters(requests=0)


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-3", "2.5", "many", ""])
def test_what_is_no_count_makes_only_its_own_field_unknown(value: str) -> None:
    text = TEXT.replace(" 126", f" {value}")
    assert read_counters(text, NAMES) == Counters(42, None, 51, (30, 14, 7), 43, 96, requests=0)


def test_missing_position_makes_positions_unknown() -> None:
    text = "\n".join(line for line in TEXT.splitlines() if 'position="1"' not in line)
    assert read_counters(text, NAMES).per_position is None


def test_half_of_a_sum_is_no_sum() -> None:
    text = TEXT.replace('engine="1",model_name="a b\\"c"} 2.0', 'engine="1",model_name="a b\\"c"} NaN')
    assert read_counters(text, NAMES).steps is None


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.integers(0, 400))
def test_no_text_raises(noise: str, place: int) -> None:
    counters = read_counters(TEXT[:place] + noise + TEXT[place:], NAMES)
    assert counters.requests == 0 and (counters.steps is None or counters.steps >= 0)
