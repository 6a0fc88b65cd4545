"""The training of the demo's models repeats itself, run by the Python of an engine's environment, which has torch."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.engine import CACHE
from tests.require import require

pytestmark = [pytest.mark.engine, pytest.mark.timeout(1200)]
ROOT = Path(__file__).parents[2]
LIBRARY = Path(os.__file__).parent


def torch_python() -> Path:
    """The interpreter of an environment that the demo's test left in the cache."""
    found = [p for p in sorted(CACHE.glob("envs/*/bin/python")) if list(p.parents[1].glob("lib/*/site-packages/torch"))]
    require("engine", bool(found), f"no engine environment in {CACHE}; tests/e2e/test_demo.py makes one")
    return found[0]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Eighty modules of the standard library: enough that some can be held out."""
    folder = tmp_path / "text"
    folder.mkdir()
    for module in sorted(LIBRARY.glob("*.py"))[:80]:
        shutil.copy(module, folder)
    return folder


def train(python: Path, text: Path, out: Path, seed: int) -> dict[str, str]:
    """Hash of every file by its name."""
    subprocess.run(
        [str(python), "-m", "matrix.demo.train", "--toy", "--text", str(text), "--out", str(out), "--seed", str(seed)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
    )
    lines = (out / "SHA256SUMS").read_text().splitlines()
    return {name: value for value, _, name in (line.partition("  ") for line in lines)}


def test_a_seed_decides_every_file(tmp_path: Path, text: Path) -> None:
    python = torch_python()
    first = train(python, text, tmp_path / "a", 0)
    assert train(python, text, tmp_path / "b", 0) == first
    other = train(python, text, tmp_path / "c", 1)
    assert other["target/model.safetensors"] != first["target/model.safetensors"]
