"""The venv executor: environments built by uv, servers as processes of this host."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe
from matrix.executors import owner
from matrix.executors.caplog import CAP, CappedLog
from matrix.executors.ports import LOOPBACK, free_port
from matrix.executors.pump import Pump
from matrix.executors.site import site_artifact, site_environ
from matrix.executors.uses import ENVIRONMENT, Uses
from matrix.executors.venv_build import build
from matrix.executors.venv_environ import cell_caches, server_environ
from matrix.executors.venv_memory import MemoryWatch
from matrix.executors.venv_paths import Environment, environment
from matrix.executors.venv_python import Interpreter, interpreter
from matrix.executors.venv_reap import reap
from matrix.executors.venv_record import Record, scratch_name
from matrix.executors.venv_server import VenvServer


class VenvExecutor:
    """See `matrix.core.ports.Executor`.

    Environments lie in `cache_dir/envs`, shared by everyone who names that folder; records of running servers in
    `state_dir`. `settings` is asked at each build: it reads the user's package index settings. A server's log is held
    below `log_cap` bytes; one whose processes hold more than `memory` bytes is killed.
    """

    name = "venv"

    def __init__(
        self,
        cache_dir: Path,
        state_dir: Path,
        python: str | None = None,
        *,
        settings: Callable[[], IndexSettings],
        grace_s: float = 10.0,
        log_cap: int = CAP,
        memory: float | None = None,
    ) -> None:
        self._envs = cache_dir.resolve() / "envs"
        self._caches = cache_dir.resolve() / "compiled"
        self._state = state_dir.resolve()
        self._uses = Uses(cache_dir.resolve(), self._state)
        self._request = python
        self._settings = settings
        self._grace_s = grace_s
        self._log_cap = log_cap
        self._memory = memory
        self._pythons: dict[str | None, Interpreter] = {}

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        """Make or reuse the environment; raises BuildError, InfraError or EnvironmentMismatchError.

        A site is taken as it is: no build, no lock file, and nothing that a reaper could remove.
        """
        if recipe.site:
            return site_artifact(recipe)
        env = self._environment(recipe)
        self._uses.note(ENVIRONMENT, env.path.name)  # first: what is used now is not removed
        return build(env, recipe, self._interpreter(recipe), self._settings, log, note)

    def built(self, recipe: Recipe) -> bool:
        return bool(recipe.site) or self._environment(recipe).marker() is not None

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> VenvServer:
        """Start the server on a free loopback port; its output is appended to `log`."""
        env = Path(artifact.ref)
        draft = cell.spec.draft.path if cell.spec.draft else None
        place = Placement(cell.target.path, draft, LOOPBACK, free_port(), f"specmatrix-{run_id}")
        launch = plan(place)
        argv = [artifact.python or str(env / "bin" / "python"), "-m", launch.module, *launch.args]
        # In the system's temporary folder, whose path is short: engines put Unix sockets there (108 bytes at most).
        scratch = Path(tempfile.gettempdir()) / scratch_name(run_id)
        record = Record(run_id, owner.me(), str(scratch))
        try:
            name = artifact.digest[:16] if artifact.python else env.name
            caches = cell_caches(self._caches / name, cell)
            environ = server_environ(os.environ, launch, env, caches, record)
            if artifact.python:
                environ = site_environ(environ, env, artifact.python)
            record.write(self._records)
            scratch.mkdir(mode=0o700)
            return self._start(argv, environ, record, log, f"http://{LOOPBACK}:{place.port}")
        except OSError as exc:
            record.remove(self._records)
            hint = "check that the disk has space and the folders can be written"
            raise InfraError(f"cannot start a server from {env}: {exc}", hint=hint) from exc

    def reap(self) -> list[str]:
        return reap(self._state, self._envs)

    @property
    def _records(self) -> Path:
        return self._state / "servers"

    def _start(self, argv: list[str], environ: dict[str, str], record: Record, log: Path, url: str) -> VenvServer:
        out = CappedLog(log, self._log_cap)
        try:
            process = _spawn(argv, environ, record.scratch)
        except BaseException:
            out.close()
            raise
        assert process.stdout is not None  # noqa: S101 - `_spawn` asks for it
        pump, watch = Pump(process.stdout, out), MemoryWatch(process.pid, self._memory)
        started = VenvServer(process, argv, url, record, self._records, self._grace_s, pump, watch)
        try:
            Record(record.run_id, record.owner, record.scratch, process.pid, owner.start_time(process.pid)).write(
                self._records
            )
        except BaseException:
            started.stop()
            raise
        return started

    def _interpreter(self, recipe: Recipe) -> Interpreter:
        request = recipe.python or self._request
        if request not in self._pythons:
            self._pythons[request] = interpreter(request)
        return self._pythons[request]

    def _environment(self, recipe: Recipe) -> Environment:
        return environment(self._envs, recipe, self._interpreter(recipe))


def _spawn(argv: list[str], environ: dict[str, str], folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        env=environ,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        bufsize=0,
    )
