"""Asks uv's resolver whether packages can be together, without installing any."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import uv
from packaging.utils import canonicalize_name

from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors.installed import versions
from matrix.executors.venv_build import MERGED
from matrix.executors.venv_failures import Failure, kind, sentence
from matrix.executors.venv_python import interpreter

_UNLISTED = frozenset({"pip", "setuptools", "wheel"})
"""What `pip freeze` leaves out."""

_TORCH = re.compile(r"\btorch")


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves for the Python that `recipe` names, as the user's `settings` and the recipe's own indexes allow.

    What the recipe removes after an install is not asked for, unless the lock holds it; what the recipe overrides is
    overridden here too.
    """

    recipe: Recipe
    settings: IndexSettings

    def refusal(self, lock: Iterable[str]) -> str:
        """Why exactly these packages (`name==version` lines) cannot be together; empty where they can.

        They cannot when one asks for another version of another, or for a package that is not among them. Raises
        InfraError when an index does not answer.
        """
        lines = tuple(lock)
        done = self._compile(lines)
        if done.returncode != 0 and self.recipe.torch_cpu and _TORCH.search(done.stderr):
            done = self._compile(lines, "--torch-backend", "cpu")
        text = self.settings.redact(done.stderr)
        if done.returncode != 0 and kind(text) in (Failure.DISK, Failure.NETWORK, Failure.DENIED):
            hint = "check the disk, the network, the proxy and the index URLs of `pip config list`, then run again"
            raise InfraError(f"the resolver cannot read the package index: {sentence(text)}", hint=hint)
        if done.returncode != 0:
            return sentence(text)
        more = sorted(versions(done.stdout.splitlines()).keys() - {_name(line) for line in lines} - _UNLISTED)
        return f"they ask for {', '.join(more)} as well" if more else ""

    def _compile(self, lock: tuple[str, ...], *more: str) -> subprocess.CompletedProcess[str]:
        python = interpreter(self.recipe.python or None)
        args = ["--no-header", "--no-annotate", "--no-progress", "--prerelease", "allow", "--python", python.path]
        wider = self.settings.beside(self.recipe.indexes)
        with tempfile.TemporaryDirectory(prefix="specmatrix-") as folder:
            asked, overrides = Path(folder, "asked.txt"), Path(folder, "overrides.txt")
            asked.write_text("\n".join(lock))
            removed = set(self.recipe.remove) - {_name(line) for line in lock}
            never = [f"{name} ; sys_platform == 'never'" for name in sorted(removed)]
            overrides.write_text("\n".join([*self.recipe.overrides, *never]))
            command = [uv.find_uv_bin(), "pip", "compile", *args, *wider.uv_args(), *more]
            return subprocess.run(
                [*command, "--override", str(overrides), str(asked)],
                env=_environ(wider),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )


def _environ(settings: IndexSettings) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in (*MERGED, "VIRTUAL_ENV")}
    return kept | settings.uv_env() | {"NO_COLOR": "1"}


def _name(line: str) -> str:
    return canonicalize_name(re.split(r"==| @ ", line)[0].strip())
