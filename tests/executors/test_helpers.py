"""Helping workers: one that dies is started again, all end with the service."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.executors import helpers as room
from matrix.executors.helpers import helpers

PROGRAM = "import os, sys, time, pathlib; pathlib.Path(sys.argv[1], str(os.getpid())).touch(); time.sleep(600)"


def until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + 120
    while not true():
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LOOK_S", 0.01)


def test_a_killed_worker_is_told_of_and_started_again(tmp_path: Path) -> None:
    told: list[str] = []
    with helpers(2, [str(tmp_path)], told.append, (sys.executable, "-c", PROGRAM)):
        until(lambda: len(list(tmp_path.iterdir())) == 2)
        victim = int(next(tmp_path.iterdir()).name)
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(list(tmp_path.iterdir())) == 3)
    assert [line.partition(":")[0] for line in told] == [f"worker {victim} was killed by signal 9"]
    assert not any(Path(f"/proc/{made.name}").exists() for made in tmp_path.iterdir())


def test_one_that_fails_at_once_is_not_started_without_a_pause(tmp_path: Path) -> None:
    told: list[str] = []
    enough = threading.Event()
    with helpers(
        1, [], lambda text: (told.append(text), len(told) == 3 and enough.set()), (sys.executable, "-c", "exit(4)")
    ):
        assert enough.wait(120)
    assert "failed with exit status 4" in told[0]
    pauses = [float(line.rpartition(" in ")[2].split()[0]) for line in told]
    assert pauses == sorted(pauses)


def test_one_that_somebody_ended_stays_ended(tmp_path: Path) -> None:
    program = "import sys, pathlib; pathlib.Path(sys.argv[1], 'ran').touch()"
    told: list[str] = []
    with helpers(1, [str(tmp_path)], told.append, (sys.executable, "-c", program)):
        until((tmp_path / "ran").exists)
    assert told == []
