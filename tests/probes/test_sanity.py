"""A text's sanity beside its baseline's."""

import pytest

from matrix.probes.sanity import looks_looped, repeated_share, sanity_flags

PROSE = "def read(path):\n    with open(path) as file:\n        return [line.strip() for line in file if line]\n"
LOOP = "self.value = value\n" * 12


def test_loop_beside_prose_is_flagged() -> None:
    assert sanity_flags(LOOP, PROSE) == ("loops",)


def test_loop_beside_the_same_loop_is_what_the_model_writes() -> None:
    assert sanity_flags(LOOP, LOOP) == ()
    assert not looks_looped(PROSE, LOOP)


def test_a_few_repeats_are_no_loop() -> None:
    assert not looks_looped(PROSE + "return None\n" * 3, PROSE)


def test_share_of_repeats() -> None:
    assert repeated_share("") == repeated_share("short") == repeated_share("abcdefghijklmnop") == 0
    assert repeated_share("a" * 112) == pytest.approx(0.99, abs=0.001)


@pytest.mark.parametrize("text", ["", " \n\t ", "\x00\x01\x02abc", "\ufffd\ufffd\ufffd ok", "x\x1b[0m\x07\x08" * 5])
def test_blank_and_control_garbage(text: str) -> None:
    assert "garbage" in sanity_flags(text, PROSE)
    assert "garbage" in sanity_flags(text, None)


@pytest.mark.parametrize("text", ["", " ", "\ufffd\ufffd ok"])
def test_a_baseline_that_is_no_better_excuses_it(text: str) -> None:
    assert sanity_flags(text, text) == ()


@pytest.mark.parametrize("text", ["naïve café — 東京 🙂 العربية", "tab\tand\nline\r\n", "👩\u200d💻 family"])
def test_other_scripts_are_sane(text: str) -> None:
    assert sanity_flags(text, PROSE) == ()
