"""Among lines that are all different, none that matters is passed over."""

import base64
import io
import random

import pytest

from matrix.core.outcome import Outcome
from matrix.engines.classify import Report, classify, classify_log
from matrix.engines.logscreen import screen
from matrix.engines.manywords import ManyWords
from matrix.engines.wordscan import HyperWords
from tests.engines.signature_examples import EXAMPLES
from tests.engines.test_log_large import TRACE


def noise(lines: int, seed: int = 3) -> list[str]:
    """Lines of which no two are of one shape."""
    rng = random.Random(seed)
    return [base64.b64encode(rng.randbytes(45)).decode() for _ in range(lines)]


def among(lines: list[str]) -> Report:
    return classify_log(io.BytesIO("\n".join([*noise(5000), *lines, *noise(3000, 4), ""]).encode()))


@pytest.mark.parametrize("search", [HyperWords, ManyWords])
@pytest.mark.parametrize("seed", range(4))
def test_a_search_for_many_words_finds_what_find_finds(seed: int, search: type[HyperWords] | type[ManyWords]) -> None:
    rng = random.Random(seed)
    words = list({"".join(rng.choices("ab c", k=rng.randint(4, 9))).encode() for _ in range(40)})
    text = "".join(rng.choices("ab c", k=5000)).encode()
    expected = [(i, n) for i in range(len(text)) for n, word in enumerate(words) if text.startswith(word, i)]
    assert sorted(search(words).found(text)) == expected
    assert search(words).found(b"") == search([b"abcd"]).found(b"abc") == []


def test_a_word_of_three_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter than 4"):
        ManyWords([b"abcd", b"OOM"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_screen_passes_every_failure(name: str) -> None:
    lines = [line for line in EXAMPLES[name][0].splitlines() if line]
    assert screen("\n".join(lines).encode(), frames=True).rows


@pytest.mark.parametrize("name", ["out-of-memory", "unknown-flag", "child-died", "driver-too-old"])
def test_a_failure_among_unlike_lines_is_named(name: str) -> None:
    assert among(EXAMPLES[name][0].splitlines()).signature == name


def test_a_failure_that_a_terminal_broke_among_unlike_lines_is_named() -> None:
    text = "RuntimeError: The NVIDIA driver on your system is too old (found version 12040)."
    assert among([text[:50], text[50:]]).signature == "driver-too-old"


def test_an_error_without_a_row_among_unlike_lines_is_the_cause() -> None:
    report = among([line.format(port=7) for line in TRACE])
    assert (report.outcome, report.reason) == (Outcome.LOAD_CRASH, "OddError: no luck with 7")


def test_readings_among_unlike_lines_are_all_read() -> None:
    lengths = [2.0 + i / 1000 for i in range(300)]
    mixed = [f'{part} "spec_accept_length": {x:.3f},' for part, x in zip(noise(300, 5), lengths, strict=True)]
    report = among(mixed)
    assert [o.accept_length for o in report.observations] == pytest.approx(lengths)
    assert report.observations[0].line == 5001


def test_the_last_line_of_an_unlike_log_is_told() -> None:
    lines = noise(5000)
    assert lines[-1] in classify("\n".join(lines), served=False, exit_=None).reason
