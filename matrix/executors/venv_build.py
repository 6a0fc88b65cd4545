"""Builds an environment once, whoever asks and however often, or not at all."""

import errno
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from matrix.core.errors import InfraError, MatrixError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Artifact, Recipe
from matrix.executors import owner
from matrix.executors.installed import verify
from matrix.executors.locks import held
from matrix.executors.overlay import below
from matrix.executors.processes import BUILD, OWNER, end, marked
from matrix.executors.venv_install import Installer, uv_cache
from matrix.executors.venv_overlay import lay_over_copy
from matrix.executors.venv_paths import Environment, Marker, environment, marker_of
from matrix.executors.venv_python import Interpreter
from matrix.executors.venv_shell import Shell

# uv settings that `IndexSettings` already holds, merged with pip's.
MERGED = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_CONSTRAINT")
_DISK = (errno.ENOSPC, errno.EDQUOT)


def build(
    env: Environment,
    recipe: Recipe,
    python: Interpreter,
    settings: Callable[[], IndexSettings],
    log: Path,
    note: Callable[[str], None],
) -> Artifact:
    """The environment's artifact, built now unless its marker is there; see `Executor.build`.

    An overlay lies over a copy of the environment of the same recipe without it, which all overlays of it share.
    """
    with _disk_errors(env.path), held(env.lock, "environment", note):
        if marker := env.marker():
            return _artifact(env, marker, reused=True)
        discard(env)
        started = time.monotonic()
        try:
            if recipe.overlay:
                base = environment(env.path.parent, below(recipe), python)
                build(base, below(recipe), python, settings, log, note)
                marker = lay_over_copy(base, env, recipe, recipe.overlay, _shell(env, settings(), log), note)
            else:
                marker = _fill(env, recipe, python, settings(), log, note)
            marker = replace(marker, seconds=round(time.monotonic() - started, 3))
            env.finish(marker)
        except BaseException:
            discard(env)
            raise
        return _artifact(env, marker, reused=False)


def discard(env: Environment) -> None:
    """Remove a half-made environment, and first the installers that a killed owner left writing into it.

    Only for the holder of the lock.
    """
    end(lambda: marked(lambda environ: environ.get(BUILD) == str(env.path)))
    if env.path.exists():
        shutil.rmtree(env.path)


def _fill(
    env: Environment,
    recipe: Recipe,
    python: Interpreter,
    settings: IndexSettings,
    log: Path,
    note: Callable[[str], None],
) -> Marker:
    note(f"building {recipe.name} for Python {python.version}")
    wider = settings.beside(recipe.indexes)
    installer = Installer(_shell(env, wider, log), wider, note)
    installer.create(env, python)
    notes = installer.install(env, recipe)
    lock = installer.lock(env)
    verify(recipe, lock)
    return marker_of(recipe, lock, python.version, notes)


def _artifact(env: Environment, marker: Marker, *, reused: bool) -> Artifact:
    seconds = 0.0 if reused else marker.seconds
    return Artifact("venv", str(env.path), marker.digest, marker.lock, seconds, reused, marker.notes)


def _shell(env: Environment, settings: IndexSettings, log: Path) -> Shell:
    return Shell(_environ(env, settings), log, settings.redact)


def _environ(env: Environment, settings: IndexSettings) -> dict[str, str]:
    """The installer's environment. PYTHON* would steer its Python (no bytecode, other paths), so it goes."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k not in (*MERGED, "VIRTUAL_ENV")}
    marks = {OWNER: owner.me(), BUILD: str(env.path)}
    return kept | settings.uv_env() | uv_cache(env.path.parent, kept) | {"NO_COLOR": "1"} | marks


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except MatrixError:
        raise
    except OSError as exc:
        full = exc.errno in _DISK
        hint = "free space there or choose another cache folder, then run again" if full else "check its permissions"
        raise InfraError(f"cannot build in {path.parent}: {exc.strerror or exc}", hint=hint) from exc
