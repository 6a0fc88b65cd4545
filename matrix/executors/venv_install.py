"""The order in which an environment is tried: uv as the user set it up, uv with the CPU torch index, pip."""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import uv

from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors.installed import unpinned
from matrix.executors.venv_failures import Failure, error, kind, sentence
from matrix.executors.venv_paths import Environment
from matrix.executors.venv_python import Interpreter
from matrix.executors.venv_shell import Finished, Shell

_IMPORT = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
_IMPORT_LIMIT_S = 600.0
UNDATED = "missing an upload date"  # what uv says of files that it hides for want of one
_TORCH = re.compile(r"\btorch(?:vision|audio|codec)?\b")


@dataclass(frozen=True, slots=True)
class Installer:
    """Fills one environment. Raises BuildError or InfraError; every departure from plain uv goes to `note`."""

    shell: Shell
    settings: IndexSettings
    note: Callable[[str], None]

    def create(self, env: Environment, python: Interpreter) -> None:
        """Make the empty environment."""
        done = self.shell.run([uv.find_uv_bin(), "venv", "--no-progress", "--python", python.path, str(env.path)])
        if done.code != 0:
            raise error(f"an environment for Python {python.version}", done.text, self.shell.log)

    def install(self, env: Environment, recipe: Recipe) -> tuple[str, ...]:
        """Install the requirements, then remove what the recipe removes; the notes made on the way."""
        notes = self._require(env, recipe)
        if recipe.remove:
            done = self._uv("uninstall", env, *recipe.remove)
            if done.code != 0:
                raise error(f"{recipe.name} without {' '.join(recipe.remove)}", done.text, self.shell.log)
        if recipe.modules:
            self.note(f"compiling {recipe.name}")
            # A failing import is the engine's own affair: the run will show it, as a crash at load.
            self.shell.run([str(env.python), "-c", _IMPORT, *recipe.modules], timeout_s=_IMPORT_LIMIT_S)
        return notes

    def lock(self, env: Environment) -> tuple[str, ...]:
        """Installed packages as sorted `name==version` lines."""
        done = self._uv("freeze", env)
        lines = [line for line in done.text.splitlines() if "==" in line or " @ " in line]
        if done.code != 0 or not lines:
            raise InfraError(f"cannot list the packages of {env.path}: {sentence(done.text)}")
        return tuple(sorted(lines))

    def _require(self, env: Environment, recipe: Recipe) -> tuple[str, ...]:
        self._from_own_indexes(env, recipe)
        notes: list[str] = []
        last = self._resolve(env, recipe)
        if last.code != 0 and recipe.before and UNDATED in last.text:
            self._depart(notes, f"the index tells no upload dates: installing without the date {recipe.before}")
            recipe = replace(recipe, before="")
            last = self._resolve(env, recipe)
        if last.code != 0 and kind(last.text) not in (Failure.UNSATISFIABLE, Failure.OTHER):
            raise error(recipe.name, last.text, self.shell.log)
        if last.code != 0 and recipe.torch_cpu and _TORCH.search(last.text):
            self._depart(notes, "uv found no fitting torch in the user's index: trying the CPU torch index")
            last = self._resolve(env, recipe, "--torch-backend", "cpu")
        if last.code != 0 and _pip_can(recipe):
            self._depart(notes, f"uv cannot install {recipe.name}: trying pip")
            if self._pip(env, recipe).code == 0:
                return tuple(notes)
        if last.code != 0:
            # The answer of the index that could have helped decides; pip's own words are in the log.
            raise error(recipe.name, last.text, self.shell.log)
        return tuple(notes)

    def _depart(self, notes: list[str], text: str) -> None:
        notes.append(text)
        self.note(text)

    def _from_own_indexes(self, env: Environment, recipe: Recipe) -> None:
        """Take what only the recipe's indexes can mean from them alone: elsewhere a newer version would win."""
        names = unpinned(recipe)
        if not names or self.settings.no_index:
            return
        alone = IndexSettings(recipe.indexes[0], recipe.indexes[1:], trusted_hosts=self.settings.trusted_hosts)
        env_ = dict.fromkeys(("UV_FIND_LINKS", "UV_CONSTRAINT", "UV_INDEX"), "") | alone.uv_env()
        args = ("--no-deps", "--prerelease", "allow", *alone.uv_args(), *names)
        done = self._uv("install", env, *args, extra=env_)
        if done.code != 0:
            raise error(recipe.name, done.text, self.shell.log)

    def _resolve(self, env: Environment, recipe: Recipe, *more: str) -> Finished:
        args = [*self.settings.uv_args(), *more]
        args += [] if recipe.modules else ["--compile-bytecode"]
        args += ["--prerelease", "allow"] if recipe.prerelease else []
        args += ["--exclude-newer", recipe.before] if recipe.before else []
        if recipe.overrides:
            file = env.path / "overrides.txt"
            file.write_text("\n".join(recipe.overrides))
            args += ["--override", str(file)]
        return self._uv("install", env, *args, *recipe.requirements)

    def _uv(self, verb: str, env: Environment, *args: str, extra: Mapping[str, str] | None = None) -> Finished:
        command = [uv.find_uv_bin(), "pip", verb, "--no-progress", "--python", str(env.python), *args]
        return self.shell.run(command, extra)

    def _pip(self, env: Environment, recipe: Recipe) -> Finished:
        """The pip beside this program, working on the environment; without one, a pip of the environment's own."""
        pip = [sys.executable, "-m", "pip", "--python", str(env.python)]
        if find_spec("pip") is None:
            seeded = self._uv("install", env, *self.settings.uv_args(), "pip")
            if seeded.code != 0:
                return seeded
            pip = [str(env.python), "-m", "pip"]
        command = [*pip, "install", "--no-input", "--prefer-binary", "--progress-bar", "off"]
        command += ["--pre"] if recipe.prerelease else []
        command += recipe.requirements
        return self.shell.run(command, self.settings.pip_env())


def _pip_can(recipe: Recipe) -> bool:
    """pip knows neither dates nor overrides, and would take an unpinned package from any index."""
    return not (recipe.before or recipe.overrides or unpinned(recipe))


def uv_cache(root: Path, environ: dict[str, str]) -> dict[str, str]:
    """uv's cache setting for environments under `root`: hard links need both on one file system.

    A cache folder that the user named stays; uv's own default is kept where it shares the file system.
    """
    if environ.get("UV_CACHE_DIR"):
        return {}
    default = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uv"
    return {} if _device(default) == _device(root) else {"UV_CACHE_DIR": str(root.parent / "uv")}


def _device(path: Path) -> int:
    there = next(p for p in (path, *path.parents) if p.exists())
    return there.stat().st_dev
