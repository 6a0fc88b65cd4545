"""What the venv executor's tests share: an executor over a folder of tiny wheels, and a cell."""

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.index import IndexSettings
from matrix.core.model import Model
from matrix.core.recipe import LaunchPlan, Placement, Recipe
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE
from matrix.core.workload import Workload
from matrix.executors.venv import VenvExecutor

ROOT = Path(__file__).parents[2]


def executor(root: Path, links: Path, **options: Any) -> VenvExecutor:
    """Everything below `root`; packages come from `links` alone."""
    settings = IndexSettings(find_links=(str(links),), no_index=True)
    return VenvExecutor(root / "cache", root / "state", settings=lambda: settings, **options)


def recipe(*requirements: str, **more: Any) -> Recipe:
    return Recipe(" ".join(requirements), requirements, **more)


def cell(target: Path) -> Cell:
    return Cell(
        Revision("stub", "1.0"),
        Model("target", str(target)),
        BASELINE,
        LaunchOptions(),
        Workload("none", (), 8),
        Hardware("test", 2),
        "venv",
        "stub",
    )


def plan(*args: str, **more: Any) -> Callable[[Placement], LaunchPlan]:
    return lambda place: LaunchPlan(
        "stub_engine.server", ("--host", place.host, "--port", str(place.port), *args), **more
    )


def answer(url: str, within_s: float = 20) -> dict[str, Any]:
    """What the stub engine says about itself, once it serves."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                body: dict[str, Any] = json.load(reply)
                return body
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def until(condition: Callable[[], object], within_s: float = 20) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def reaped(ex: VenvExecutor, *names: str) -> list[str]:
    """What `reap` says about these runs and environments. It also stops orphans of other projects on this host."""
    return [line for line in ex.reap() if any(name in line for name in names)]


def script(body: str, **popen: Any) -> subprocess.Popen[str]:
    """Another process of this project that runs `body`, with this kit imported."""
    text = f"from pathlib import Path\nimport os, signal, time\nfrom tests.executors.venv_kit import *\n{body}"
    return subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, text=True, **popen)
