"""Sides of a comparison as they are asked for, and which cells go together."""

from dataclasses import dataclass

import pytest

from matrix.core.errors import ConfigError
from matrix.plan.pairs import Pair, Side, check, pairs, side, varying


@dataclass(frozen=True)
class Cell:
    revision: str = "1"
    spec: str = "eagle3"
    draft: str | None = "head"
    method: str = "eagle3"
    target: str = "m"
    engine: str = "vllm"
    launch: str = ""
    workload: str = "demo"
    hardware: str = "cpu"
    executor: str = "venv"
    series_key: str = "k"


def test_a_bare_word_is_a_revision_and_quotes_hold_a_name_together() -> None:
    assert side("0.32.0", "a").wanted == {"revision": "0.32.0"}
    assert side("spec=eagle3 launch='--x 1'", "a").wanted == {"spec": "eagle3", "launch": "--x 1"}
    for text in ("0.32.0", "spec=eagle3 launch='--x 1'", "target='a b' revision=1"):
        assert side(str(side(text, "a")), "a") == side(text, "a")


@pytest.mark.parametrize(("text", "words"), [("colour=red", "no field"), ("1 2", "twice"), ("'1", "not closed")])
def test_what_cannot_be_read_names_its_side(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        side(text, "b")
    assert caught.value.where.key == "b"


def test_sides_must_differ_and_be_narrow() -> None:
    one = side("1", "a")
    with pytest.raises(ConfigError, match="both sides"):
        check(one, one)
    with pytest.raises(ConfigError, match="neither a revision nor a target"):
        check(side("spec=a", "a"), side("spec=b", "b"))
    with pytest.raises(ConfigError, match="neither"):
        check(side("1.*", "a"), one)
    check(side("spec=a", "a").and_(side("target=m", "where")), side("spec=b target=m", "b"))


def test_cells_that_agree_in_all_but_what_was_asked_go_together() -> None:
    differing = varying(side("1", "a"), side("2", "b"))
    assert differing == {"revision"}
    old, new, other = Cell("1"), Cell("2"), Cell("2", workload="long")
    gone = Cell("1", target="z")
    assert pairs([gone, old], [other, new], differing) == [Pair(old, new), Pair(None, other), Pair(gone, None)]


def test_another_spec_config_brings_its_draft_and_method() -> None:
    differing = varying(side("spec=eagle3 revision=1", "a"), side("spec=ngram revision=1", "b"))
    assert differing == {"spec", "draft", "method"}
    head, ngram = Cell(), Cell(spec="ngram", draft=None, method="ngram")
    assert pairs([head], [ngram], differing) == [Pair(head, ngram)]


def test_a_cell_is_not_set_against_itself() -> None:
    wide, narrow = side("target=m", "a"), side("target=m spec=ngram", "b")
    head, ngram = Cell(), Cell(spec="ngram", draft=None, method="ngram")
    assert pairs([head, ngram], [ngram], varying(wide, narrow)) == [Pair(head, ngram)]


def test_wildcards_fit_and_a_name_with_brackets_fits_itself() -> None:
    assert side("target='m*'", "a").fits(Cell(target="mm")) and not side("target='m*'", "a").fits(Cell(target="n"))
    assert Side({"launch": "[x]"}).fits(Cell(launch="[x]"))
    assert side("target='m*'", "a").exact("target") is None and side("1", "a").exact("revision") == "1"
    assert Side({"draft": ""}).fits(Cell(draft=None))
