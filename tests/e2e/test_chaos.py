"""Six kills at random moments of a night, the short form of `make bench ARGS=chaos`."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos import battle
from tests.chaos.battle import POSTGRES, SQLITE, Book, line, shares, table
from tests.chaos.fire import Survived, plan
from tests.require import require
from tests.store import postgres


@pytest.fixture
def where() -> Iterator[Path]:
    """A folder that the database's own user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="matrix-chaos-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.postgres
def test_six_kills_lose_double_and_leave_nothing(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = postgres.missing()
    require("postgres", reason is None, reason or "")
    monkeypatch.setattr(battle, "WHERE", where)
    faults = battle.battle(6, 1, batch=2, most_s=1.0)
    assert [fault for fault in faults if "only after" not in fault] == []  # how soon is for the benchmark to say


def row(scene: str, number: int, fault: str = "", on_s: float = 1.0) -> Survived:
    return Survived(scene, number, "worker", 1.0, on_s, 2.0, 3, fault)


def test_a_battle_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    book = Book(tmp_path / "survived.json")
    for number in range(3):
        book.add(row("sqlite", number))
    again = Book(tmp_path / "survived.json")
    assert (again.rows, again.done("sqlite"), again.done("postgres")) == (book.rows, 3, 0)
    whole = plan(7, "sqlite", SQLITE.victims, 20, 4.0)
    assert whole == plan(7, "sqlite", SQLITE.victims, 20, 4.0) != plan(8, "sqlite", SQLITE.victims, 20, 4.0)
    assert shares(200, (SQLITE, POSTGRES)) == {"sqlite": 120, "postgres": 80}


def test_faults_and_lateness_are_counted_apart() -> None:
    rows = [row("sqlite", 0), row("sqlite", 1, on_s=61.0), row("sqlite", 2, fault="runs lost: ['a']")]
    assert "3 kills, 1 faults, 1 late" in table(rows)[-1]
    assert line(rows[2]).endswith("FAULT runs lost: ['a']")
