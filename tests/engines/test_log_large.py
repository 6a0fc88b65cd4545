"""Logs of many chunks: the pooled value is exact, and nothing between the records is overlooked."""

import io
import random

import pytest

from matrix.core.outcome import Outcome
from matrix.engines.classify import Report, classify_log
from matrix.engines.logchunks import CHUNK
from matrix.engines.logreadings import KEEP

ACCESS = '[2026-02-03 04:05:06] INFO:     10.0.0.1:{port} - "POST /generate HTTP/1.1" 200 OK'
PREFILL = "[2026-02-03 04:05:06{rank}] Prefill batch. #new-seq: 1, #new-token: {port}, #running-req: 4, #queue-req: 0, "
DECODE = (
    "[2026-02-03 04:05:06{rank}] Decode batch, #running-req: {running}, #token: {port}, token usage: 0.01, "
    "accept len: {length:.2f}, accept rate: 0.40, cuda graph: True, gen throughput (token/s): 88.10, #queue-req: 0"
)
WINDOW = (
    "(APIServer pid=9) INFO 02-03 04:05:06 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: {mean:.2f}, "
    "Accepted throughput: 7.00 tokens/s, Drafted throughput: 12.00 tokens/s, Accepted: {accepted} tokens, "
    "Drafted: {drafted} tokens, Per-position acceptance rate: {rates}, Avg Draft acceptance rate: 58.3%"
)
TRACE = ["Traceback (most recent call last):", '  File "/a.py", line 3, in load_model', "OddError: no luck with {port}"]


def read(lines: list[str]) -> Report:
    return classify_log(io.BytesIO("\n".join([*lines, ""]).encode()))


@pytest.mark.parametrize("ranks", [("",), (" DP0 TP0", " DP1 TP1")])
def test_decode_lines_are_weighted_by_running_requests_to_the_last_one(ranks: tuple[str, ...]) -> None:
    rng, lines, tokens, weight = random.Random(5), [], 0.0, 0
    for port in range(20_000):
        running, length = rng.randint(0, 12), rng.randint(180, 260) / 100
        lines.append(DECODE.format(rank=rng.choice(ranks), running=running, port=port, length=length))
        lines.append(rng.choice((ACCESS, PREFILL)).format(port=port, rank=rng.choice(ranks)))
        tokens, weight = tokens + length * (running or 1), weight + (running or 1)
    report = read(lines)
    assert sum(map(len, lines)) > 10 * CHUNK and report.accept_length == pytest.approx(tokens / weight, abs=0.0006)
    assert [o.line for o in report.observations] == list(range(1, 2 * KEEP, 2))


def window(rng: random.Random, k: int) -> tuple[str, int, int]:
    drafts = rng.randint(50, 90)
    accepted = rng.randint(drafts * k // 2, drafts * k)
    rates = ", ".join(f"{accepted / drafts / k:.3f}" for _ in range(k))
    line = WINDOW.format(mean=1 + accepted / drafts, accepted=accepted, drafted=drafts * k, rates=rates)
    return line, drafts, accepted


def test_windows_of_two_k_are_pooled_by_their_counters() -> None:
    rng = random.Random(6)
    found = [window(rng, rng.choice((2, 3))) for _ in range(12_000)]
    drafts, accepted = sum(f[1] for f in found), sum(f[2] for f in found)
    assert read([f[0] for f in found]).accept_length == pytest.approx(1 + accepted / drafts, abs=0.002)


def test_windows_whose_depth_changes_keep_their_printed_mean() -> None:
    line = WINDOW.format(mean=2.5, accepted=90, drafted=120, rates="0.900, 0.300, 0.100")
    assert read([line] * 8000).accept_length == pytest.approx(2.5)


@pytest.mark.parametrize("before", [0, 700, 3000, 9000])
def test_a_crash_between_known_lines_is_found_with_its_lines(before: int) -> None:
    lines = [DECODE.format(rank="", running=1, port=i, length=2.5) for i in range(9000)]
    failed = [line.format(port=1) for line in TRACE]
    report = read([*lines[:before], *failed])
    assert report.outcome is (Outcome.SERVE_CRASH if before > 9000 else Outcome.LOAD_CRASH)
    assert report.reason == "OddError: no luck with 1" and report.excerpt.splitlines()[-1] == report.reason
    assert len(report.excerpt.splitlines()) >= min(before + 3, 10)


def test_hundreds_of_failed_requests_hide_no_crash_of_the_server() -> None:
    request = [
        "ERROR:    Exception in ASGI application",
        TRACE[0],
        '  File "/a.py", line 3, in app',
        "OddError: bad {port}",
    ]
    lines = [line.format(port=i) for i in range(3000) for line in (*request, ACCESS)]
    assert read(lines).outcome is Outcome.OK
    fatal = [TRACE[0], '  File "/a.py", line 3, in run_event_loop', "OddError: fatal"]
    report = read([*lines, *fatal])
    assert (report.outcome, report.reason) == (Outcome.SERVE_CRASH, "OddError: fatal")


def test_tokens_of_zero_after_a_hang_are_no_sign_of_life() -> None:
    rate = "INFO 02-03 04:05:06 [loggers.py:1] Engine 000: Avg generation throughput: {:.1f} tokens/s, Running: 1 reqs"
    hang = "[2026-02-03 04:05:06 TP1] Watchdog timeout (self.watchdog_timeout=120)"
    alive, idle = [rate.format(9.5)] * 3000, [rate.format(0.0)] * 3000
    assert read([*alive, hang, *idle]).outcome is Outcome.HANG
    assert read([*alive, hang, *idle, *alive]).outcome is Outcome.OK


@pytest.mark.parametrize("cut", ["0.50", "0. 500", "0.900,", ""])
def test_a_windows_mangled_rates_are_harmless(cut: str) -> None:
    line = WINDOW.format(mean=2.5, accepted=90, drafted=180, rates=cut)
    assert read([line] * 3000).accept_length in (None, 2.5)


class _Small(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(997)


def test_where_the_stream_breaks_changes_nothing() -> None:
    rng = random.Random(9)
    parts = [ACCESS, PREFILL, DECODE, *TRACE, "x" * 300, "ERROR:    Exception in ASGI application"]
    lines = [rng.choice(parts).format(port=i, rank="", running=2, length=2.25) for i in range(3000)]
    data = "\n".join(lines).encode()
    assert classify_log(_Small(data)).accept_length == classify_log(io.BytesIO(data)).accept_length == 2.25
    assert classify_log(_Small(data)).observations == classify_log(io.BytesIO(data)).observations


def test_lines_are_counted_across_a_line_of_megabytes() -> None:
    report = read(["Accept length: 2.30", "z" * 3_000_000, "Accept length: 2.32"])
    assert [o.line for o in report.observations] == [1, 3]
