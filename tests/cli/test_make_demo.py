"""`make demo`: Ctrl-C ends it without a word of an error, and after matrix has cleared up; a failure stays one."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"
MATRIX = """\
import signal, sys, time
code = int(sys.argv[2])
def end(*_):
    print("cleared up", flush=True)
    sys.exit(code)
signal.signal(signal.SIGINT, end)
print("up", flush=True)
while code == 130 and "--once" not in sys.argv:
    time.sleep(0.1)  # pause() would wait for another signal where this one came just before it
sys.exit(code)
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make on this machine")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile and an environment that counts as installed, whose matrix is the script above."""
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "matrix.py").write_text(MATRIX)
    bin_ = tmp_path / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for name, line in {"python": '"$@"', "matrix": f'{tmp_path}/matrix.py "$@"'}.items():
        (bin_ / name).write_text(f"#!/bin/sh\nexec {sys.executable} {line}\n")
        (bin_ / name).chmod(0o755)
    (tmp_path / ".venv" / ".run").touch()
    return tmp_path


def demo(project: Path, code: int, more: str = "") -> subprocess.Popen[str]:
    command = ["make", "demo", f"ARGS={code}{more}"]
    # A make that runs these tests tells makes below it that they are sub-makes, which announce their folder first.
    alone = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(command, cwd=project, env=alone, text=True, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]


def test_ctrl_c_is_no_error(project: Path) -> None:
    made = demo(project, 130)
    assert made.stdout is not None
    assert made.stdout.readline() == "up\n"
    os.killpg(made.pid, signal.SIGINT)
    rest, _ = made.communicate(timeout=60)
    assert "cleared up" in rest
    assert "Error" not in rest and "***" not in rest


def test_a_failure_is_an_error(project: Path) -> None:
    made = demo(project, 4)
    rest, _ = made.communicate(timeout=60)
    assert "Error 4" in rest and made.returncode == 2


def test_a_sweep_that_was_cut_short_is_an_error_where_only_the_sweep_was_asked_for(project: Path) -> None:
    made = demo(project, 130, " --once")
    rest, _ = made.communicate(timeout=60)
    assert "Error 130" in rest and made.returncode == 2
