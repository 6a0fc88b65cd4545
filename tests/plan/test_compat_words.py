"""The sentence of an answer, and the words for spans of versions."""

from dataclasses import replace

import pytest

from matrix.core.answer import Claim, Evidence, Question
from matrix.core.expectation import Bonus
from matrix.core.state import State
from matrix.plan.compat import decide
from matrix.plan.compat_words import sentence
from matrix.plan.span_words import follows, reaches_beyond, span_words

RUN = Claim(
    Evidence.MEASURED, "sglang", "m", State.HEALTHY, "0.5.9", draft="head", method="eagle3", hardware="gpu H200 x1",
    k=3, accept_length=2.2, noise=0.011, speedup=1.5, at=1_780_000_000.0, link="/runs/r1", ref="r1", series="s",
)  # fmt: skip
REPORT = Claim(
    Evidence.REPORTED, "vllm", "m", State.HEALTHY, "", draft="head", method="eagle3", bonus=Bonus.UNKNOWN,
    link="https://example.org/1", ref="p1",
)  # fmt: skip
ASKED = Question("m", "head")


def said(*claims: Claim, asked: Question = ASKED) -> str:
    return sentence(decide(claims, asked), asked)


@pytest.mark.parametrize(
    ("versions", "words"),
    [
        ("0.5.4", "0.5.4"),
        ("==0.5.4", "0.5.4"),
        (">=0.5.2,<=0.5.5.post2", "0.5.2 to 0.5.5.post2"),
        (">=0.5.6", "0.5.6 and newer"),
        ("<=0.5.1", "up to 0.5.1"),
        (">=0", "every release"),
        ("", "revision not stated"),
        ("a fork", "a fork"),
    ],
)
def test_spans_in_words(versions: str, words: str) -> None:
    assert span_words(versions) == words


def test_spans_are_compared_by_their_ends() -> None:
    assert reaches_beyond(">=0.5.2,<=0.5.5", "0.5.4") and reaches_beyond(">=0.5", "9") and not reaches_beyond("", "1")
    assert not reaches_beyond("<=0.5.1", "0.5.4") and follows(">=0.5.6", "==0.5.5") and not follows(">=0.5.6", ">=0.5")


def test_a_measured_answer_has_its_figures() -> None:
    text = said(RUN, REPORT)
    for words in ("SGLang 0.5.9 is recommended for m with head", "2.2 ± 1.1 %", "speed-up 1.5", "gpu H200 x1", "measured 2026-", "/runs/r1"):  # fmt: skip
        assert words in text
    assert "vLLM (revision not stated) works too (reported)" in text


def test_a_reported_answer_says_what_was_not_stated() -> None:
    text = said(replace(REPORT, accept_length=2.0))
    for words in ("revision not stated", "bonus token not stated", "speed-up unknown", "hardware not stated", "not measured here"):  # fmt: skip
        assert words in text


def test_newer_ones_that_are_broken_are_named_with_their_link() -> None:
    fallen = replace(
        RUN, versions="0.5.10", state=State.COLLAPSED, reason="accept length 1.01", ref="r2", link="/runs/r2"
    )
    assert "newer ones are broken for you: SGLang 0.5.10 collapsed (measured" in said(RUN, fallen)
    assert "accept length 1.01" in said(RUN, fallen)
    older = replace(fallen, versions="0.5.8")
    assert "broken" not in said(RUN, older)


def test_a_contradiction_is_said() -> None:
    against = replace(REPORT, engine="sglang", versions="0.5.9", state=State.COLLAPSED)
    assert "contradicts" in said(RUN, against)
    assert "contradicts" not in said(RUN, replace(against, k=8))


def test_what_was_not_tested_points_to_its_neighbour() -> None:
    text = said(RUN, asked=Question("m", "another", "sglang"))
    assert text.startswith("Not tested: m with another on sglang; nearest evidence is SGLang 0.5.9")
    assert "other draft, so an inference" in text
    assert "nothing is measured or reported" in said()


def test_unknown_is_neither_yes_nor_no() -> None:
    text = said(replace(RUN, state=State.UNKNOWN), replace(REPORT, state=State.UNKNOWN))
    assert text.startswith("Not tested") and "works" not in text and "broken" not in text


def test_a_method_that_no_release_has_is_excluded() -> None:
    spans = [
        Claim(Evidence.KNOWN, e, "m", State.BROKEN, ">=0", reason="no such heads", ref=e) for e in ("sglang", "vllm")
    ]
    assert said(*spans).startswith("No release can serve m with head: no such heads")
    assert said(spans[0]).startswith("Not tested")
    assert said(spans[0], asked=replace(ASKED, engine="sglang")).startswith("No release can serve")
