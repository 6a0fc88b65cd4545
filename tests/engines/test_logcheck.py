"""The log beside the counters: what contradicts, and what other steps explain."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters, accept_length
from matrix.engines.logcheck import contradicts, logged

NEW = (
    "(APIServer pid=7) INFO 01-02 03:04:05 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: {al:.2f}, "
    "Accepted throughput: 9.00 tokens/s, Drafted throughput: 9.00 tokens/s, Accepted: {acc} tokens, Drafted: {dr} tokens, "
    "Per-position acceptance rate: {pos}, Avg Draft acceptance rate: 50.0%\n"
)
OLD = (
    "INFO 01-02 03:04:05 [metrics.py:96] SpecDecoding metrics: Draft acceptance rate: 50.0%, Mean acceptance length: "
    "{al:.2f}, Accepted: {acc} tokens, Drafted: {dr} tokens, Per-position acceptance rate: {pos}\n"
)
SGLANG = (
    "[2026-01-01 00:00:00] Decode batch, #running-req: {n}, #token: 9, accept len: {al:.2f}, accept rate: 0.5, x: 1\n"
)
DIFFUSION = (
    "INFO 01-02 03:04:05 [metrics.py:300] DiffusionDecoding metrics: Committed token throughput: 9.00 tokens/s, Mean "
    "denoising steps per canvas: 8.00, Mean tokens committed per denoising step: 4.00, Committed: 64 tokens\n"
)


def vllm(steps: int, accepted: int, form: str = NEW, bonus: int = 1) -> str:
    pos = ", ".join(f"{accepted / steps / 3:.3f}" for _ in range(3))
    return form.format(al=bonus + accepted / steps, acc=accepted, dr=3 * steps, pos=pos)


def test_windows_are_summed_and_never_averaged() -> None:
    found = logged(vllm(10, 6) + "other line\n" + vllm(90, 180), 3)
    assert (found.steps, found.accepted) == (100, 186)


def test_a_mean_without_its_bonus_is_read_with_it() -> None:
    assert accept_length(logged(vllm(10, 15, OLD, bonus=0), 3)) == 2.5


def test_lines_of_a_step_weigh_their_requests() -> None:
    found = logged(SGLANG.format(n=1, al=4.0) + SGLANG.format(n=3, al=2.0), 3)
    assert (found.steps, found.accepted) == (4, 6)


@pytest.mark.parametrize("log", ["", "nothing here\n", DIFFUSION, vllm(10, 5)[:150]])
def test_a_log_without_a_whole_record_tells_nothing(log: str) -> None:
    found = logged(log, 3)
    assert found.steps is None and not contradicts(found, Counters(10, 30, 5), 4)


@pytest.mark.parametrize(
    ("log", "counted", "expected"),
    [
        ((100, 150), (100, 150), False),
        ((100, 150), (100, 50), True),
        ((100, 152), (100, 150), True),
        ((200, 301), (200, 300), False),
        ((90, 160), (100, 150), False),  # the ten steps that the log lacks may have accepted little
        ((95, 190), (100, 150), True),
        ((110, 150), (100, 150), False),
        ((30, 90), (100, 150), False),  # too little of the probe
        ((300, 0), (100, 150), False),
        ((100, 0), (0, 0), False),
    ],
)
def test_only_what_other_steps_cannot_explain_contradicts(
    log: tuple[int, int], counted: tuple[int, int], expected: bool
) -> None:
    told, pooled = Counters(log[0], None, log[1]), Counters(counted[0], 3 * counted[0], counted[1])
    assert contradicts(told, pooled, 4) is expected


@pytest.mark.parametrize(("accepted", "expected"), [(1188, False), (1210, True)])
def test_counters_derived_from_the_text_may_lack_each_requests_last_drafts(accepted: int, expected: bool) -> None:
    derived = Counters(858, None, 1182 - 9, requests=8)
    assert contradicts(Counters(858, None, accepted), derived, 4) is expected
    assert contradicts(Counters(858, None, accepted), replace(derived, proposed=3 * 858), 4)


def test_windows_that_begin_early_and_end_early_do_not_contradict() -> None:
    """As a healthy run of the demo logged it: warm-up in the first window, the last requests in none."""
    log = logged(vllm(92, 60) + vllm(92, 120) + vllm(92, 125) + vllm(92, 120) + vllm(90, 125), 3)
    assert (log.steps, log.accepted) == (458, 550)
    assert not contradicts(log, Counters(460, 1380, 565), 4)
    assert contradicts(log, Counters(460, 1380, 0), 4)
