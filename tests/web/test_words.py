import math

import pytest

from web import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.108, "2.11"),
        (0.0, "0.00"),
        (1.0, "1.00"),
        (12345.678, "12 345.68"),
        (None, "not measured"),
        (math.nan, "not measured"),
        (math.inf, "not measured"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert words.number(value).replace("\u202f", " ") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.00 s"),
        (-3, "0.00 s"),
        (0.04, "0.04 s"),
        (0.996, "1.0 s"),
        (9.94, "9.9 s"),
        (12.4, "12 s"),
        (59.6, "1 min"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (86400 * 3 + 3600 * 4, "3 d 4 h"),
        (None, "not measured"),
        (math.nan, "not measured"),
    ],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert words.duration(seconds) == text


def test_times_are_utc_with_their_age() -> None:
    assert words.utc(1_796_000_000) == "2026-11-29 20:53 UTC" or words.utc(1_796_000_000).endswith(" UTC")
    assert words.iso(0) == "1970-01-01T00:00:00Z"
    assert words.ago(1000, now=1000 + 7200) == "2 h ago"
    assert words.ago(1000, now=1003) == "just now"
    assert words.ago(2000, now=1000) == "in 16 min 40 s"


@pytest.mark.parametrize("moment", [None, math.nan, math.inf, 1e300, -1e300])
def test_a_time_that_is_none_is_called_unknown(moment: float | None) -> None:
    assert words.utc(moment) == "unknown time" and words.ago(moment) == "unknown time" and words.iso(moment) == ""


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (
            {"change": -0.54, "low": -0.58, "high": -0.5, "pairs": 16},
            "−54 %, 95 % interval −58 % to −50 %, 16 paired prompts",
        ),
        ({"change": 0.031, "pairs": 1}, "+3.1 %, 1 paired prompt"),
        ({"low": 0.6, "high": 0.8}, ""),
        ({"change": None, "pairs": None}, ""),
        ({"change": math.nan}, ""),
        ({"change": True}, ""),
        ({}, ""),
    ],
)
def test_figures_of_a_verdict(numbers: dict[str, object], text: str) -> None:
    assert words.chip(numbers) == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("50 %\r100 %\r\n", "50 %␍100 %\n"),
        ("a\u202eb\u2066c", "a⟦U+202E⟧b⟦U+2066⟧c"),
        ("\ufeff\x00\x7f", "⟦U+FEFF⟧⟦U+0000⟧⟦U+007F⟧"),
        ("日本語 हिन्दी 👩\u200d🚀", "日本語 हिन्दी 👩\u200d🚀"),
    ],
)
def test_hidden_characters_become_visible(raw: str, text: str) -> None:
    assert words.visible(raw) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "unknown size"), (0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (48_213, "47 KiB"), (2**30, "1.0 GiB")],
)
def test_size(count: int | None, text: str) -> None:
    assert words.size(count) == text


def test_a_text_that_is_cut_keeps_both_ends_and_counts_the_rest() -> None:
    assert words.cut("short") == "short"
    long = words.cut("a" * 30_000 + "z" * 5)
    assert (
        long.startswith("a" * 10_000)
        and long.endswith("aaazzzzz")
        and "10\u202f005 characters are left out here" in long
    )
