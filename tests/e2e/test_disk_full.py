"""A disk that fills up at each place that is written: the path is named, nothing half-written counts, work goes on."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.kit import Place, place, servers_of, toml
from tests.e2e.test_nightly import ended, rows, ticks
from tests.require import require

NIGHTLY = '\n[nightly]\nwhen = "0 0 1 1 *"\n'


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    require("mount", os.geteuid() == 0 and shutil.which("mount") is not None, "mounting needs root")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True, text=True
    )
    require("mount", made.returncode == 0, f"cannot mount a tmpfs: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all room that is left."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


def until(true: Callable[[], bool], process: "subprocess.Popen[str]", project: Place) -> None:
    ends = time.monotonic() + 300
    while not true():
        log = (project.folder / "sweep.err").read_text()
        assert process.poll() is None, log
        assert time.monotonic() < ends, log
        time.sleep(0.1)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != "ballast"
    }


def test_exports_are_whole_or_as_they_were(tmp_path: Path, disk: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    assert here.run("sweep").returncode == 0
    asked = ("export", "--dump", str(disk / "all.dump")), ("export", "--site", str(disk / "site"))
    for words in asked:
        assert here.run(*words).returncode == 0
    before = files(disk)
    ballast = fill(disk)
    for words in asked:
        done = here.run(*words)
        assert (done.returncode, files(disk)) == (4, before), done.stderr
        assert words[-1] in done.stderr and "free" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr
    assert [p.name for p in disk.iterdir() if p.name.startswith(".")] == []
    ballast.unlink()
    for words in asked:
        assert here.run(*words).returncode == 0
    assert files(disk).keys() == before.keys()


def test_no_room_for_environments_fails_the_cell_and_leaves_nothing(tmp_path: Path, disk: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    env = {"MATRIX_CACHE": str(disk / "cache")}
    assert here.run("plan", env=env).returncode == 0
    ballast = fill(disk)
    done = here.run("sweep", "spec=baseline", env=env)
    assert done.returncode == 4, done.stderr
    (row,) = here.lines("results")
    assert row["outcome"] == "infra", row
    assert str(disk / "cache") in row["reason"] + done.stderr, row
    assert not list((disk / "cache" / "envs").glob("*/specmatrix.json"))
    ballast.unlink()
    assert here.run("sweep", "spec=baseline", env=env).returncode == 0
    assert [r["outcome"] for r in here.lines("results")] == ["infra", "ok"]


@pytest.mark.parametrize("place_of", ["database", "logs"])
def test_a_service_goes_on_when_there_is_room_again(tmp_path: Path, disk: Path, place_of: str) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml({"token_s": 0.01}, versions='"1.0.0"', extra=NIGHTLY))
    disk_env = {"MATRIX_HOME": str((disk if place_of == "logs" else tmp_path) / "state")}
    db = (disk if place_of == "database" else here.folder) / "matrix.db"
    if place_of == "database":
        (here.folder / "matrix.db").symlink_to(db)
    process = here.start(
        "serve", "--port", "0", "--executor", "venv", "-c", "matrix.toml", "--db", f"sqlite:///{db}", env=disk_env
    )
    try:
        until(lambda: bool(rows(here, "select 1 from jobs where phase = 'probe'")), process, here)
        said = "No space left" if place_of == "logs" else "the disk is full"
        # Filled again and again: what is removed meanwhile would make room.
        until(lambda: fill(disk) and said in (here.folder / "sweep.err").read_text(), process, here)
        line = next(line for line in (here.folder / "sweep.err").read_text().splitlines() if said in line)
        assert str(disk) in line, line
        assert place_of == "logs" or "free space on it" in line  # a cell that ends has its next step in its row
        (disk / "ballast").unlink()
        until(lambda: bool(ticks(here)) and ticks(here)[0][0] == "done", process, here)
        assert ended(process) == 0
        measured = rows(here, "select content_key from runs where outcome != 'infra'")
        assert len(measured) == len(set(measured)) == 2
    finally:
        process.kill()
        process.wait(60)
    assert not servers_of(here.folder)
