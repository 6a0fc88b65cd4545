"""Accept lengths in every spelling, by name and with the release's own definition; what is cut yields nothing."""

import io
from collections.abc import Iterable

import pytest

from matrix.core.outcome import Outcome
from matrix.engines.classify import Report, classify_log
from matrix.engines.logreadings import KEEP

WINDOW = (
    "(APIServer pid=9) INFO 02-03 04:05:06 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.75, "
    "Accepted throughput: 7.00 tokens/s, Drafted throughput: 12.00 tokens/s, Accepted: 70 tokens, Drafted: 120 tokens, "
    "Per-position acceptance rate: 0.900, 0.550, 0.300, Avg Draft acceptance rate: 58.3%"
)
V0 = (
    "INFO 02-03 04:05:06 metrics.py:5] Speculative metrics: Draft acceptance rate: 0.310, System efficiency: {eff}, "
    "Number of speculative tokens: 4, Number of accepted tokens: {acc}, Number of draft tokens: {draft}, "
    "Number of emitted tokens: {emitted}."
)
DECODE = (
    "[2026-02-03 04:05:06{rank}] Decode batch, #running-req: {run}, #token: 77, token usage: 0.01, accept len: {al}, "
    "accept rate: 0.40, cuda graph: True, gen throughput (token/s): 88.10, #queue-req: 0"
)


def read(*lines: str) -> Report:
    return classify_log(io.BytesIO("\n".join([*lines, ""]).encode()))


def values(report: Report) -> list[float | None]:
    return [o.accept_length for o in report.observations]


def flags(report: Report) -> set[str]:
    return {flag for o in report.observations for flag in o.flags}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (WINDOW, 2.75),
        ("Acceptance length (server):              2.94      ", 2.94),
        ("Acceptance length (benchmark): 2.91", 2.91),
        ("**Accpt Len: 1.93**", 1.93),
        ("Mean acceptance length (including bonus tokens): 2.14", 2.14),
        ("INFO 02-03 04:05:06 [metrics.py:9] SpecDecoding metrics: Draft acceptance rate: 60.0%, Mean acceptance length: 2.20, "
         "Accepted: 60 tokens, Drafted: 100 tokens, Per-position acceptance rate: 0.700, 0.500", 2.2),
        (V0.format(eff="0.400", acc=90, draft=400, emitted=200), 2.0),
        ("Speculative metrics: Draft acceptance rate: 0.310, System efficiency: 0.500, Number of speculative tokens: 3, cut", 2.0),
        (DECODE.format(rank="", run=2, al="3.05"), 3.05),
        ("[2026-02-03 04:05:06 DP1 TP4] Decode batch. #running-req: 3, #token: 9, token usage: 0.00, accept len: 1.90, "
         "gen throughput (token/s): 5.00, #queue-req: 0,", 1.9),
        ("[2026-02-03 04:05:06] Decode batch [812], #running-req: 3, accept len: 2.60, accept rate: 0.60, cap len: 4.00, "
         "block accept len: 3.10, cuda graph: True", 2.6),
        ("avg_spec_accept_length=2.8841", 2.884),
        ('{"internal_states": [{"avg_spec_accept_length": 2.41, "x": 1}]}', 2.41),
        ('sglang:spec_accept_length{model_name="m",tp_rank="0"} 2.31', 2.31),
        ("sglang_spec_accept_length 2.33", 2.33),
        ("Accept length:                           2.72", 2.72),
        ("acc_length=2.19, speed=99.10 token/s", 2.19),
        ("Average Accept length: 3.118", 3.118),
        ("mean acceptance length: 2.87", 2.87),
        ("Acceptance length:                       1.62      ", 1.62),
        ('{"spec_decode_acceptance_length": 2.055, "spec_decode_num_drafts": 12}', 2.055),
        ('  "accept_length": 2.617', 2.617),
        ("'mean_acceptance_length': 2.5, 'num_spec_steps': 10, 'num_accepted_draft_tokens': 15", 2.5),
        ("Per-position acceptance rate: 0.810, 0.410, 0.110", 2.33),
        ("AssertionError: 2.34 not greater than 2.8 : acc_length", 2.34),
        ("AssertionError: Expected acc_length >= 2.1, got 1.82", 1.82),
        ("E   AssertionError: expected an accept length of at least 2.50 but it was 2.13", 2.13),
    ],
)  # fmt: skip
def test_a_spelling_is_read_by_its_name(line: str, value: float) -> None:
    report = read(line)
    assert values(report) == [pytest.approx(value, abs=0.0006)]
    assert (report.outcome, report.accept_length) == (Outcome.OK, pytest.approx(value, abs=0.0006))


@pytest.mark.parametrize(
    "line",
    [
        DECODE[: DECODE.index("{al}")].format(rank="", run=1) + "2.7",
        WINDOW[: WINDOW.index("2.75") + 3],
        WINDOW[: WINDOW.index("2.75")],
        "Average Accept length: 2.",
        '{"a": 1, "accept_length": 2.1',
        V0[: V0.index("{eff}")],
        "block accept len: 3.10, cap len: 4.00",
        "SGLANG_SIMULATE_ACC_LEN=2.5",
        '{"synthetic_acceptance_length": 3.0}',
        "accept rate: 0.44",
        "Expected acceptance length: 2.60",
        "AssertionError: 0.71 not greater than 0.75 : acceptance",
        "AssertionError: Expected accept_rate >= 0.75, got 0.71",
        "AssertionError: Expected loss >= 2.1, got 1.82",
        "AssertionError: 131.2 not greater than 150 : speed",
        "FAIL: test_eagle_latency - AssertionError: 13.5 not less than 11",
        "FAILED tests/spec.py::test_acceptance - assert 2.6 <= 1.9",
        "Average Accept length: 2,91 ",
        "Per-position acceptance rate: 0.300, 0.900",
    ],
)
def test_what_is_cut_or_something_else_yields_no_value(line: str) -> None:
    report = read(line)
    assert values(report) == [] and report.accept_length is None and report.outcome is Outcome.OK


def test_vllm_0_8_5_prints_the_length_without_its_bonus() -> None:
    line = (
        "INFO 02-03 04:05:06 [metrics.py:9] SpecDecoding metrics: Draft acceptance rate: 60.0%, Mean acceptance length: 1.20, "
        "Accepted: 60 tokens, Drafted: 100 tokens, Per-position acceptance rate: 0.700, 0.500"
    )
    assert values(read(line)) == [2.2] and flags(read(line)) == {"bonus-added"}


def test_windows_are_pooled_by_their_drafts() -> None:
    small = WINDOW.replace("2.75", "2.50").replace("70 tokens", "6 tokens").replace("120 tokens", "12 tokens")
    assert read(WINDOW, small).accept_length == pytest.approx((2.75 * 40 + 2.5 * 4) / 44, abs=0.001)


def test_v0_counts_since_its_start() -> None:
    lines = [V0.format(eff="0.9", acc=1, draft=40, emitted=11), V0.format(eff="0.4", acc=1, draft=400, emitted=210)]
    assert read(*lines).accept_length == 2.1


def test_ranks_are_weighted_by_running_requests() -> None:
    ranks = [DECODE.format(rank=" DP0 TP0", run=3, al="2.00"), DECODE.format(rank=" DP1 TP1", run=1, al="2.40")]
    assert read(*ranks).accept_length == pytest.approx(2.1)


def test_readings_of_two_regimes_have_no_one_value() -> None:
    assert read(*[DECODE.format(rank="", run=1, al=x) for x in ("1.40", "2.60")]).accept_length is None
    assert read("Average Accept length: 2.10", "Average Accept length: 2.40").accept_length is None


def test_a_long_log_is_compared_by_halves_and_lists_the_first_ones() -> None:
    steady = [DECODE.format(rank="", run=1, al=x) for x in ("1.00", "4.00") * 2000]
    report = read(*steady)
    assert report.accept_length == pytest.approx(2.5) and len(report.observations) == KEEP
    fallen = [DECODE.format(rank="", run=1, al="3.00")] * 2000 + [DECODE.format(rank="", run=1, al="1.20")] * 2000
    assert read(*fallen).accept_length is None


def test_a_requests_counters_outrank_its_printed_mean() -> None:
    report = read("{'spec_accept_length': 1.067, 'spec_verify_ct': 15, 'spec_num_correct_drafts': 0}")
    assert values(report) == [1.0] and "prefill-token-counted" in flags(report)


def _flagged(value: str, accepted: int, drafted: int, rates: Iterable[str] = ("0.900", "0.550", "0.300")) -> set[str]:
    line = (
        WINDOW.replace("2.75", value)
        .replace("70 tokens", f"{accepted} tokens")
        .replace("120 tokens", f"{drafted} tokens")
    )
    return flags(read(line.replace("0.900, 0.550, 0.300", ", ".join(rates))))


def test_odd_values_carry_their_own_flags() -> None:
    assert _flagged("1.00", 0, 300, ("0.000",) * 3) == {"exactly-one"}
    assert _flagged("1.00", 0, 297, ("0.000",) * 3) == set()
    assert _flagged("4.00", 300, 300, ("1.000",) * 3) == {"exactly-max"}
    assert _flagged("4.60", 108, 90) == {"above-k"}
    assert _flagged("nan", 0, 0) == {"not-a-number"}
    assert flags(read("'spec_accept_length': 0, ")) == {"below-one"}


def test_a_value_that_is_not_believed_is_none_not_one() -> None:
    assert values(read(WINDOW.replace("2.75", "nan"))) == [None]
    assert read(WINDOW.replace("2.75", "nan")).accept_length is None


@pytest.mark.parametrize("width", [60, 80, 97, 100, 120, 132, 150, 172, 200])
def test_lines_that_a_terminal_broke_are_joined(width: int) -> None:
    broken = [WINDOW[i : i + width] for i in range(0, len(WINDOW), width)]
    assert values(read(*broken, WINDOW)) == [2.75, 2.75]
    error = (
        "RuntimeError: CUDA error: something; " * 2
        + "the NVIDIA driver on your system is too old (found version 11000)."
    )
    assert read(*[error[i : i + width] for i in range(0, len(error), width)]).signature == "driver-too-old"


@pytest.mark.parametrize("escape", ["\x1b[1;36m", "^[[36m", "[36m", "\\u001b[1;36m"])
@pytest.mark.parametrize(
    "prefix", ["", "[vllm] | ", "  | [2026-02-03T04:05:06Z] ", "vllm-1  | ", "2026-02-03T04:05:06.123456789Z stderr F "]
)
def test_colours_and_prefixes_hide_no_value(escape: str, prefix: str) -> None:
    assert values(read(f"{prefix}{escape}{WINDOW}")) == [2.75]


@pytest.mark.parametrize("digits", [400, 4999])
def test_a_count_of_absurd_length_is_no_count(digits: int) -> None:
    huge = "9" * digits
    assert values(read(WINDOW.replace("70 tokens", f"{huge} tokens"))) == [2.75]
    assert values(read(V0.format(eff="0.5", acc=huge, draft=huge, emitted=huge))) != [float("inf")]
    assert not values(read(f"{{'spec_verify_ct': 7, 'spec_accept_token_num': {huge}}}"))
    assert not values(read(f"{{'spec_verify_ct': {huge}, 'spec_accept_token_num': 7}}"))
    assert values(read(f"num_speculative_tokens={huge}", WINDOW)) == [2.75]
