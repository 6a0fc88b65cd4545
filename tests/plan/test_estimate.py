"""What a sweep is expected to cost, cell by cell, and how the time left follows what was taken."""

from dataclasses import replace

import pytest

from matrix.core.cell import LaunchOptions
from matrix.core.spec import BASELINE
from matrix.plan.estimate import (
    CPU_BYTES_S,
    FIRST_BUILD_S,
    NEXT_BUILD_S,
    START_S,
    STEP_S,
    STEPS_SAVED,
    STOP_S,
    TOKENS_PER_S,
    Past,
    estimate,
    pace,
    planned,
)
from tests.store.build import cell

TARGET = cell().target.path
REQUESTS = len(cell().workload.prompts) + cell().workload.warmup
TOKENS = REQUESTS * cell().workload.max_tokens
STARTED = START_S + STOP_S


def probe_s(size: int, **changes: object) -> float:
    """Seconds of one cell beside its start."""
    of = replace(cell(), **changes)  # type: ignore[arg-type]
    return estimate([of], {}, Past(), sizes={TARGET: size}).seconds - STARTED


def test_a_small_model_is_expected_to_be_fast_and_a_large_one_slow() -> None:
    small, large = probe_s(4_000_000), probe_s(16_000_000_000)
    assert small == pytest.approx(TOKENS * (STEP_S + 4e6 / CPU_BYTES_S) / STEPS_SAVED)
    assert large == pytest.approx(TOKENS * (STEP_S + 16e9 / CPU_BYTES_S) / STEPS_SAVED)
    assert small < TOKENS / TOKENS_PER_S < large


def test_gpus_read_weights_faster_and_together() -> None:
    cpu, one, two = (probe_s(16_000_000_000, launch=LaunchOptions(gpus=gpus)) for gpus in (0, 1, 2))
    assert cpu > one > two


def test_a_baseline_has_no_draft_to_save_steps_and_is_asked_twice() -> None:
    assert probe_s(4_000_000, spec=BASELINE) == pytest.approx(2 * STEPS_SAVED * probe_s(4_000_000))


def test_weights_of_unknown_size_take_the_plain_figure() -> None:
    assert probe_s(0) == pytest.approx(TOKENS / TOKENS_PER_S)


def test_what_was_seen_here_goes_before_any_size() -> None:
    seen = estimate([cell()], {}, Past(probe_s={cell().series_key: 7.0}), sizes={TARGET: 10**12})
    assert seen.seconds == pytest.approx(STARTED + 7.0)


def test_a_build_is_paid_by_the_first_cell_of_its_release() -> None:
    cells = [cell("1.0", BASELINE), cell("1.0"), cell("2.0", BASELINE), cell("2.0")]
    plain = estimate(cells, {}, Past()).each
    built = estimate(cells, {"a": False, "b": False}, Past(), ["a", "a", "b", "b"])
    assert [b - p for b, p in zip(built.each, plain, strict=True)] == pytest.approx([FIRST_BUILD_S, 0, NEXT_BUILD_S, 0])
    assert built.seconds == pytest.approx(sum(built.each)) and built.builds == 2


def test_cells_beyond_the_plan_take_the_mean() -> None:
    assert planned([10.0, 20.0], 3) == [10.0, 20.0, 15.0]
    assert planned([10.0, 20.0], 1) == [10.0]
    assert planned([], 2) == [1.0, 1.0]


def test_the_pace_is_one_until_something_planned_is_done() -> None:
    assert (pace(30.0, 10.0), pace(5.0, 0.0)) == (3.0, 1.0)
