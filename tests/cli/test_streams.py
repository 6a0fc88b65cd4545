"""Output that nobody reads any more neither ends a verb nor changes its exit code; a full disk does both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from matrix.cli.streams import outlive_readers
outlive_readers()
for number in range(20000):
    print("line", number)
print("still here", file=sys.stderr)
sys.exit(7)
"""


def run(stdout: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM], stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_a_reader_that_left_changes_nothing() -> None:
    read, write = os.pipe()
    os.close(read)
    done = run(write)
    os.close(write)
    assert (done.returncode, done.stderr) == (7, "still here\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_stays_an_error() -> None:
    with Path("/dev/full").open("w") as full:
        done = run(full.fileno())
    assert done.returncode not in (0, 7)
    assert "No space left" in done.stderr and "still here" not in done.stderr


def test_everything_arrives_where_somebody_reads() -> None:
    done = run(subprocess.PIPE)
    assert done.stdout.splitlines()[-1] == "line 19999"
    assert done.returncode == 7
