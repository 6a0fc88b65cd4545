"""`matrix bisect skip`: one point, or all of a range as git spells it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.app.bisect.points import Line, Point
from matrix.app.bisect.request import Regress, Request
from matrix.cli.main import main
from matrix.store import Store, open_store

# 1 - 2 - 3 - 6
#      \ 4 - 5 /
NAMES, PARENTS = ("1", "2", "3", "4", "5", "6"), ((), (0,), (1,), (1,), (3,), (2, 4))


@pytest.fixture
def db(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/matrix.db"


@pytest.fixture
def store(db: str) -> Iterator[Store]:
    opened = open_store(db)
    line = Line(Point("0", "0"), tuple(Point(n, n) for n in NAMES), PARENTS, (1.0,) * len(NAMES))
    request = Request(config="", engine="e", bad="6", good="0", regress=Regress.WORKS, target="t")
    opened.bisections.begin(
        engine="e",
        level="commit",
        question="works",
        request=request.to_json(),
        config="",
        history=line.to_json(),
        owner="me",
    )
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("asked", "points"),
    [
        ("3", ["3"]),
        ("0..2", ["1", "2"]),
        ("2..5", ["4", "5"]),
        ("3..6", ["4", "5", "6"]),
        ("2..6", ["3", "4", "5", "6"]),
    ],
)
def test_a_range_holds_what_git_would_say(db: str, store: Store, asked: str, points: list[str]) -> None:
    assert main(["bisect", "skip", asked, "--db", db, "--why", "no wheels"]) == 0
    answers = store.bisections.get().answers
    assert [(a.point, a.said, a.why, a.by_hand) for a in answers] == [(p, "skip", "no wheels", True) for p in points]


@pytest.mark.parametrize("asked", ["5..2", "2..2", "2..9", "9"])
def test_an_empty_or_unknown_range_skips_nothing(
    db: str, store: Store, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    assert main(["bisect", "skip", asked, "--db", db]) == 3
    assert store.bisections.get().answers == ()
    assert "names 0 points" in (said := capsys.readouterr().err) or f"`{asked}` holds no point" in said
