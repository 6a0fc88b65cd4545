"""Sizes on disk with hard links, notes of use, and removals that respect who works."""

import os
import time
from pathlib import Path

import pytest
from filelock import FileLock

from matrix.executors import disk
from matrix.executors.uses import ENVIRONMENT, Uses
from matrix.executors.venv_paths import Environment, Marker
from matrix.plan.eviction import Thing
from tests.executors.venv_kit import answer, cell, executor, plan, recipe
from tests.fakes import wheels

KIB = 1024


def environment(root: Path, name: str, digest: str, kib: int, used_at: float) -> Path:
    env = Environment(root / "cache" / "envs" / name.ljust(16, "0"))
    (env.path / "bin").mkdir(parents=True)
    env.python.write_text("")
    (env.path / "body").write_bytes(b"x" * kib * KIB)
    env.finish(Marker(digest, ("a==1",), 1.0, "3.12", "recipe a 1\nrequire a"))
    os.utime(env.path / "specmatrix.json", (used_at, used_at))
    return env.path


@pytest.fixture
def folders(tmp_path: Path) -> disk.Folders:
    (tmp_path / "state").mkdir()
    return disk.Folders(tmp_path / "cache", tmp_path / "state")


def named(found: list[Thing]) -> dict[str, Thing]:
    return {t.ref.rstrip("0"): t for t in found}


def test_hard_links_count_once_and_what_others_hold_counts_for_nobody(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for folder in (one, two, three):
        folder.mkdir()
    (one / "own").write_bytes(b"x" * 40 * KIB)
    (one / "both").write_bytes(b"x" * 80 * KIB)
    os.link(one / "both", two / "both")
    (one / "a").write_bytes(b"x" * 20 * KIB)
    os.link(one / "a", one / "b")
    (one / "outside").write_bytes(b"x" * 160 * KIB)
    os.link(one / "outside", three / "outside")
    (one / "loop").symlink_to(one)
    found = disk.sizes([one, two])
    assert found.own[one] - 60 * KIB < 8 * KIB, "its own file, and the one that it links twice"
    assert (found.own[two], found.shared) == (0, 80 * KIB)
    (two / "both").unlink()
    assert disk.sizes([one, two]).own[one] >= 140 * KIB


def test_what_is_held_says_why_and_names_its_last_use(tmp_path: Path, folders: disk.Folders) -> None:
    environment(tmp_path, "aa", "digest-a", 10, 1000.0)
    environment(tmp_path, "bb", "digest-b", 10, 2000.0)
    log = folders.state / "logs" / "ab" / f"ab{'0' * 62}.gz"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"x" * 5000)
    (folders.cache / "repositories").mkdir()
    found, _ = disk.things(folders, {"digest-a": ["bisection 1 is open"], log.stem: ["regression 2"]})
    by = named(found)
    assert (by["aa"].holds, by["aa"].used_at, by["aa"].label) == (("bisection 1 is open",), 1000.0, "a 1")
    assert (by["bb"].holds, by["bb"].size >= 10 * KIB) == ((), True)
    assert by["ab"].holds == ("regression 2",)
    assert by["repositories"].holds
    assert disk.remove(by["ab"], folders)
    assert not log.exists()


def test_the_last_use_counts_and_other_databases_hold(tmp_path: Path, folders: disk.Folders) -> None:
    name = environment(tmp_path, "aa", "d", 10, 1000.0).name
    before = time.time() - 5
    folders.uses.note(ENVIRONMENT, name)
    (only,) = disk.things(folders, {})[0][:1]
    assert only.used_at > before
    other = tmp_path / "other"
    Uses(folders.cache, other).note(ENVIRONMENT, name)
    assert named(disk.things(folders, {})[0])["aa"].holds == (), "a database that is gone holds nothing"
    other.mkdir()
    assert named(disk.things(folders, {})[0])["aa"].holds == (f"used by the database of {other} as well",)


def test_an_environment_goes_unless_it_is_locked_or_was_used_since(tmp_path: Path, folders: disk.Folders) -> None:
    path = environment(tmp_path, "aa", "d", 10, 1000.0)
    thing = named(disk.things(folders, {})[0])["aa"]
    with FileLock(Environment(path).lock):
        assert not disk.remove(thing, folders)
    folders.uses.note(ENVIRONMENT, path.name)
    assert not disk.remove(thing, folders)
    assert (path / "specmatrix.json").exists()
    assert disk.remove(named(disk.things(folders, {})[0])["aa"], folders)
    assert not path.exists()
    assert folders.uses.all(ENVIRONMENT) == {}


def test_a_running_server_keeps_its_environment_and_its_compile_cache(tmp_path: Path) -> None:
    wheels.stub_engine(tmp_path / "links")
    ex = executor(tmp_path, tmp_path / "links")
    artifact = ex.build(recipe("stub-engine"), tmp_path / "log", print)
    folders = disk.Folders((tmp_path / "cache").resolve(), (tmp_path / "state").resolve())
    with ex.serve(artifact, cell(tmp_path), plan(), "run-disk", tmp_path / "log") as server:
        answer(server.url)
        found = [t for t in disk.things(folders, {})[0] if t.kind in (disk.COMPILED, ENVIRONMENT)]
        busy = [t for t in found if disk.IN_USE in t.holds]
        assert {t.kind for t in busy} == {disk.COMPILED, ENVIRONMENT}
        assert not any(disk.remove(t, folders) for t in busy)
    found, _ = disk.things(folders, {})
    gone = [t for t in found if not t.holds and t.kind in (disk.COMPILED, ENVIRONMENT)]
    assert len(gone) == 2
    assert all(disk.remove(t, folders) for t in gone)
    assert not Path(artifact.ref).exists()
    assert not ex.built(recipe("stub-engine"))
    assert ex.build(recipe("stub-engine"), tmp_path / "log", print).digest == artifact.digest
