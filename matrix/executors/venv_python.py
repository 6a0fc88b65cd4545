"""The Python that environments are made from."""

import json
import platform
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass

import uv

from matrix.core.errors import EnvironmentMismatchError

_ASK = "import json, platform, sysconfig; print(json.dumps([platform.python_version(), sysconfig.get_platform()]))"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An executable with its version (`3.11.7`) and platform (`linux-x86_64`)."""

    path: str
    version: str
    platform: str


def interpreter(request: str | None) -> Interpreter:
    """The Python asked for (a path, a name on PATH or a version such as `3.12`), or the one that runs this.

    Raises EnvironmentMismatchError when this host has none such.
    """
    if request is None:
        return Interpreter(sys.executable, platform.python_version(), sysconfig.get_platform())
    path = shutil.which(request) or _find(request)
    done = subprocess.run([path, "-I", "-c", _ASK], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EnvironmentMismatchError(f"{path} is not a usable Python: {done.stderr.strip()[-200:]}")
    version, system = json.loads(done.stdout)
    return Interpreter(path, version, system)


def _find(request: str) -> str:
    done = subprocess.run([uv.find_uv_bin(), "python", "find", request], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        hint = f"install it (for example `uv python install {request}`) or name another"
        raise EnvironmentMismatchError(f"no Python {request!r} on this host", hint=hint)
    return done.stdout.strip()
