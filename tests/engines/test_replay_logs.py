"""The log of one scripted generation, as each release writes it, read back: one accept length in every dialect."""

import io
from collections import Counter

import pytest

from matrix.engines.classify import Report, classify_log
from matrix.engines.reading import BONUS_ADDED, CUMULATIVE, PREFILL_DILUTED
from tests.fakes import sglang_rows, vllm_rows
from tests.fakes.script import Script, simulate, walk
from tests.fakes.sglang_speech import decode_lines, since
from tests.fakes.vllm_speech import log_line
from tests.fakes.vllm_v0 import V0Stats

SCRIPT, K, TOKENS = Script(), 3, 600
PROMPTS = [f"prompt {i}" for i in range(4)]


def truth() -> float:
    sums = totals()
    return 1 + sums["accepted"] / sums["steps"]


def totals() -> Counter[str]:
    sums: Counter[str] = Counter()
    for prompt in PROMPTS:
        sums.update(simulate(SCRIPT, prompt, TOKENS)[0])
    return sums


def read(lines: list[str]) -> Report:
    return classify_log(io.BytesIO("\n".join([*lines, ""]).encode()))


def flags(report: Report) -> set[str]:
    return {flag for observation in report.observations for flag in observation.flags}


@pytest.mark.parametrize("release", vllm_rows.RELEASES)
def test_a_window_of_vllm_reads_the_same_in_every_release(release: str) -> None:
    windows = [log_line(release, simulate(SCRIPT, prompt, TOKENS)[0], K) for prompt in PROMPTS]
    report = read(windows)
    assert report.engine == "vllm" and len(report.observations) == len(PROMPTS)
    assert report.accept_length == pytest.approx(truth(), rel=0.002)
    assert (BONUS_ADDED in flags(report)) is (release == "0.8.5")


@pytest.mark.parametrize("release", ["0.8.5", "0.9.0.1", "0.9.2"])
def test_the_record_of_vllms_v0_engine_reads_the_same(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    stats = V0Stats(release, "m", K, interval_s=0.0)
    stats.step(totals())
    report = read(capsys.readouterr().out.splitlines())
    assert report.accept_length == pytest.approx(truth(), rel=0.001) and flags(report) == {CUMULATIVE}


@pytest.mark.parametrize("release", vllm_rows.RELEASES)
def test_a_window_without_drafts_says_nothing(release: str) -> None:
    assert log_line(release, Counter(tokens=50), K) == ""


@pytest.mark.parametrize("release", sglang_rows.RELEASES)
def test_decode_lines_of_sglang_read_the_same_in_every_release(release: str) -> None:
    lines = [line for p in PROMPTS for line in decode_lines(release, list(walk(SCRIPT, p, TOKENS)), K, interval=40)]
    report = read(lines)
    assert report.engine == "sglang" and len(report.observations) == len(lines)
    assert report.accept_length == pytest.approx(truth(), rel=0.03)  # the last steps of a request fill no window
    assert (PREFILL_DILUTED in flags(report)) is not since(release, "0.5.3.post3")


def test_prefills_lower_what_old_releases_of_sglang_print() -> None:
    steps = [3] * 8
    assert "accept len: 3.67" in decode_lines("0.5.3.post1", steps, K, interval=9)[0]
    assert "accept len: 4.00" in decode_lines("0.5.3.post3", steps, K, interval=8)[0]
