"""What must stay within a disk budget: for open bisections, for regressions that stand, for cells under way."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from matrix.app import room
from matrix.app.attribute import regressions
from matrix.app.nightly import Shift
from matrix.app.planning import Plan
from matrix.app.setup import Ready
from matrix.app.source import Source
from matrix.cli.main import main
from matrix.core.ack import Ack, Scope
from matrix.core.errors import EnvironmentMismatchError
from matrix.core.ports import Executor, Progress
from matrix.core.state import State
from matrix.executors import owner
from matrix.executors.disk import ENVIRONMENT
from matrix.executors.venv_paths import Environment, Marker
from matrix.store import Store
from tests.app.stored import cell, judged, served
from tests.store.build import plan

VERSIONS = ("1.0", "1.1", "1.2", "1.3")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment for each release, the older ones unused for longer; no Docker daemon."""

    def no_daemon(*_: object) -> None:
        raise EnvironmentMismatchError("no Docker daemon answers: gone")

    monkeypatch.setenv("MATRIX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(room, "images", no_daemon)
    for at, version in enumerate(VERSIONS):
        env = Environment(tmp_path / "cache" / "envs" / version.ljust(16, "-"))
        (env.path / "bin").mkdir(parents=True)
        env.python.write_text("")
        (env.path / "body").write_bytes(b"x" * 2**20)
        env.finish(Marker(digest(version), ("a==1",), 1.0, "3.12", f"recipe sglang {version}"))
        os.utime(env.path / "specmatrix.json", (1000.0 + at, 1000.0 + at))
    return tmp_path / "cache"


@pytest.fixture
def fallen(stored: Store) -> Store:
    """1.0 is good, 1.1 is good, 1.2 fell, 1.3 is as bad."""
    for at, version in enumerate(VERSIONS):
        served(stored, cell(version), 2.5 if version < "1.2" else 1.4, at=1000.0 * (at + 1))
    return judged(stored)


def digest(version: str) -> str:
    return f"digest of sglang {version}".ljust(64, ".")


def left(cache: Path) -> list[str]:
    return sorted(env.name.rstrip("-") for env in (cache / "envs").iterdir() if env.is_dir())


def kept(store: Store) -> dict[str, tuple[str, ...]]:
    now = room.look(store, None).now
    return {t.label.removeprefix("sglang "): t.holds for t in now.stays if t.kind == ENVIRONMENT}


def test_digests_are_those_of_the_stored_runs(fallen: Store) -> None:
    (item, *_) = regressions(fallen)
    used = {u.run_id: u.digest for u in fallen.artifacts.used([item.from_run or "", item.to_run or "", "no such run"])}
    assert used == {item.from_run: digest("1.1"), item.to_run: digest("1.2")}


def test_both_sides_of_a_regression_stay_and_the_oldest_of_the_rest_goes(fallen: Store, cache: Path) -> None:
    said: list[str] = []
    made = room.make_room(fallen, int(3.5 * 2**20), said.append)
    assert (left(cache), made.now.over) == (["1.1", "1.2", "1.3"], 0)
    assert any("removed 1 environment" in line for line in said)
    made = room.make_room(fallen, 1, said.append)
    assert left(cache) == ["1.1", "1.2"]
    assert made.now.over > 2**20
    assert "more than [artifacts] disk_gib: environment sglang 1.1 (last good before regression" in said[-1]


def test_an_acknowledged_regression_keeps_its_last_good_alone(fallen: Store, cache: Path) -> None:
    for item in regressions(fallen):
        ack = Ack(item.series_key, Scope.CELL, State(item.now), "known", item.metric, item.to_revision, None, 5000.0)
        fallen.acks.add(ack)
    assert {version for version, holds in kept(fallen).items() if holds} == {"1.1"}


def test_an_open_bisection_keeps_what_it_asked_until_it_ends(fallen: Store, cache: Path) -> None:
    asked = {"engine": "sglang", "level": "release", "question": "works", "request": {}, "config": "", "history": {}}
    number = fallen.bisections.begin(**asked, owner=owner.me())
    fallen.bisections.hold(number, "venv", digest("1.3"), f"bisection {number}")
    assert kept(fallen)["1.3"] == (f"held: bisection {number}",)
    fallen.bisections.finish(number, "done", {})
    assert kept(fallen)["1.3"] == ()


def test_what_was_used_since_a_cell_under_way_began_stays(stored: Store, cache: Path) -> None:
    stored.queue.claim(owner.me(), plan(stored, "1.0"))
    assert all(not holds for holds in kept(stored).values())
    os.utime(cache / "envs" / "1.2".ljust(16, "-") / "specmatrix.json")
    assert "when a cell under way began" in kept(stored)["1.2"][0]


def test_the_verbs_show_first_and_then_remove(
    fallen: Store,
    url: str,
    cache: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["clean", "--db", url]) == 2, "no budget is set"
    assert "--disk-gib" in capsys.readouterr().err
    assert main(["status", "--disk", "--db", url]) == 0
    out = capsys.readouterr().out
    assert "environment: 4" in out and "is not acknowledged" in out and "images are not counted: no Docker" in out
    assert main(["clean", "--db", url, "--disk-gib", "0.0035", "--dry-run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert ([t["label"] for t in shown["goes"]], shown["removed"], left(cache)) == (["sglang 1.0"], [], [*VERSIONS])
    assert main(["clean", "--db", url, "--disk-gib", "0.0035"]) == 0
    assert "removed: environment 1.0" in capsys.readouterr().out
    assert left(cache) == ["1.1", "1.2", "1.3"]
    assert main(["clean", "--db", url, "--disk-gib", "0.000001"]) == 4
    assert "over the budget remain" in capsys.readouterr().out


def test_a_night_makes_room_first_and_goes_on_when_it_cannot(
    fallen: Store, url: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, said = tmp_path / "matrix.toml", list[str]()
    body = '[nightly]\n[artifacts]\ndisk_gib = 0.0035\n[engines.vllm]\nversions = ["1.0"]\n[targets.t]\npath = "t"\n'
    config.write_text(body)
    shift = Shift(config, url, None, progress=cast(Progress, None), say=said.append)
    ready = Ready(cast(Plan, SimpleNamespace(source=Source(config))), cast(Executor, None), fallen)
    shift._make_room(ready)
    assert left(cache) == ["1.1", "1.2", "1.3"]
    assert "removed 1 environment" in said[0]

    def full(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("matrix.app.nightly.make_room", full)
    shift._make_room(ready)
    assert said[-1] == "no room was made on the disk: [Errno 5] Input/output error"
