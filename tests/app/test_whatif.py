"""Other thresholds on stored history: what would come and go, and nothing changes."""

import pytest

from matrix.app.whatif import numeric, parse_settings, what_if
from matrix.core.errors import ConfigError
from matrix.core.state import Change
from matrix.store import Store
from tests.app.stored import cell, judged, served


@pytest.fixture
def fallen(stored: Store) -> Store:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    return judged(stored)


def test_a_coarser_judge_lets_the_flip_go(fallen: Store) -> None:
    before = fallen.read.regressions()
    (move,) = what_if(fallen, parse_settings(("relevant=0.5",)))
    assert (move.move, move.series_key, move.flip.change) == ("go", cell("1.0").series_key, Change.REGRESSION)
    assert {"move", "series_key", "metric", "before", "after_revision"} <= move.as_json().keys()
    assert fallen.read.regressions() == before


def test_a_finer_one_lets_flips_come(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.3, at=2000)
    judged(stored)
    moves = what_if(stored, parse_settings(("collapsed=1.5",)))
    assert [(m.move, m.flip.after) for m in moves] == [("go", "degraded"), ("come", "collapsed")]


def test_the_thresholds_in_force_move_nothing(fallen: Store) -> None:
    assert what_if(fallen, numeric()) == []


@pytest.mark.parametrize("text", ["relevance=0.05", "relevant", "relevant=", "relevant=x", "relevant=-1", "alpha=inf"])
def test_a_faulty_one_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="--what-if"):
        parse_settings((text,))


def test_an_unknown_threshold_lists_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"relevant=0\.03"):
        parse_settings(("tainted=1",))
