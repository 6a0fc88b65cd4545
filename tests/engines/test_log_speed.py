"""The ways around reading each line change nothing: equal stretches counted, and lines passed over by a word search."""

import io
import random
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matrix.engines import logchunks, logscan, logscreen
from matrix.engines.classify import Report, classify_log
from matrix.engines.logchunks import CHUNK, chunks
from matrix.engines.manywords import ManyWords
from tests.engines.signature_examples import EXAMPLES
from tests.engines.test_log_large import ACCESS, DECODE, TRACE, WINDOW
from tests.engines.test_log_screen import noise

V0 = (
    "INFO 02-03 04:05:06 [metrics.py:1] Speculative metrics: Draft acceptance rate: 0.500, System efficiency: 0.400, "
    "Number of speculative tokens: 4, Number of accepted tokens: {n}, Number of draft tokens: {m}, "
    "Number of emitted tokens: {n}."
)
PARTS = [
    ACCESS.format(port=7),
    DECODE.format(rank="", running=2, port=5, length=2.25),
    DECODE.format(rank=" DP1 TP1", running=3, port=5, length=2.5),
    WINDOW.format(mean=2.5, accepted=90, drafted=180, rates="0.600, 0.500, 0.400"),
    WINDOW.format(mean=2.5, accepted=90, drafted=180, rates="0.600, 0.500, 0.400")[:190]
    + "\n"
    + WINDOW.format(mean=2.5, accepted=90, drafted=180, rates="0.600, 0.500, 0.400")[190:],
    V0.format(n=400, m=800),
    V0.format(n=500, m=900),
    "Acceptance length:    2.31",
    "| model | accept length |\n|---|---|\n| a | 2.40 |",
    "INFO vLLM API server version 0.9.1",
    "[shutdown] received signal=SIGTERM",
    "ERROR:    Exception in ASGI application",
    "Loading safetensors checkpoint shards: 40% done",
    "accept length: nan",
    'Traceback (most recent call last):\n  File "/a.py", line 3, in step\n    go()\nfoo.BarFailed: no luck with 3',
    "\n".join(TRACE).format(port=3),
    *(EXAMPLES[name][0] for name in ("watchdog", "out-of-memory", "child-died")),
]


def slowly(data: bytes) -> Report:
    """What a scanner says that takes no stretch for another, and searches words by their hashes."""
    always = patch.object(logscan.Scanner, "_take", lambda self, whole: self._feed(whole, logscan.LOOKAHEAD))
    with always, patch.object(logchunks, "_period", lambda piece: 0), patch.object(logscreen, "many_words", ManyWords):
        logscreen._words.cache_clear()
        report = classify_log(io.BytesIO(data))
    logscreen._words.cache_clear()
    return report


def told(report: Report) -> tuple[object, ...]:
    """All that a report says, its length aside."""
    return tuple(
        getattr(report, name) for name in ("engine", "outcome", "reason", "signature", "excerpt", "observations")
    )


def same(data: bytes) -> bool:
    quick, slow = classify_log(io.BytesIO(data)), slowly(data)
    assert told(quick) == told(slow)
    return quick.accept_length == pytest.approx(slow.accept_length, abs=0.002)


@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8), st.lists(st.sampled_from(PARTS), max_size=3))
def test_a_text_that_repeats_itself_tells_what_its_lines_tell(parts: list[str], after: list[str]) -> None:
    block = "\n".join(parts).encode() + b"\n"
    assert same(block * (5 * CHUNK // len(block)) + "\n".join(after).encode())


@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=8), st.integers(0, 99))
def test_lines_among_unlike_lines_tell_what_they_tell_alone(parts: list[str], seed: int) -> None:
    lines = [*noise(3000, seed), *parts, *noise(3000, seed + 1)]
    assert same("\n".join(lines).encode())


def test_a_repeated_text_comes_in_equal_chunks() -> None:
    block = b"one line\nand another of some length, for a text of more than a head\n" * 3 + b"end\n"
    found = list(chunks(io.BytesIO(block * 9000)))
    assert b"".join(found) == block * 9000
    assert len(set(found)) == 2 and found[0] == found[1] and len(found[0]) % len(block) == 0


def test_the_count_of_lines_goes_on_behind_a_repeated_text() -> None:
    block = ("\n".join(PARTS[:4]) + "\n") * 20_000
    report = classify_log(io.BytesIO(("x\n" + block + "Traceback (most recent call last):\nOddError: late\n").encode()))
    assert report.reason == "OddError: late" and report.observations[0].line == 3


def test_chunks_lose_nothing_of_a_text_that_does_not_repeat() -> None:
    data = random.Random(4).randbytes(700_000).replace(b"\0", b"") + b"\n"
    text = b"\n".join(data[i : i + 90].replace(b"\n", b"") for i in range(0, len(data), 90))
    assert b"".join(chunks(io.BytesIO(text))) == text
