"""`matrix bisect replay`: what contradicts itself is one line, and changes nothing."""

from pathlib import Path

import pytest

from matrix.cli.main import main
from matrix.store import Store
from tests.cli.test_bisect_skip import db, store

__all__ = ["db", "store"]


def test_lines_that_contradict_each_other_change_nothing(
    db: str, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bisect", "skip", "3", "--db", db]) == 0
    log = tmp_path / "git.log"
    log.write_text("git bisect start 6 0\ngit bisect good 2\ngit bisect bad 2\n")
    assert main(["bisect", "replay", str(log), "--db", db]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("matrix:")]
    assert "lines 2 and 3 contradict each other: 2 is both good and bad" in line
    assert [(a.point, a.said) for a in store.bisections.get().answers] == [("3", "skip")]
