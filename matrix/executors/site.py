"""An engine that is installed already, in a folder of site-packages: looked at, served from, and never changed."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.recipe import Artifact, Recipe
from matrix.executors.venv_python import Interpreter, interpreter

KIND = "site"
_BESIDE = ("torch", "triton")  # what such a folder usually leaves to the interpreter, and what decides its numbers
_ASK = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def installed_version(folder: Path, project: str) -> str | None:
    """The version of `project` installed in `folder`, None where it is not (or the folder is not there)."""
    return _packages(folder).get(canonicalize_name(project))


def site_artifact(recipe: Recipe) -> Artifact:
    """The folder as an artifact: its packages by name and version, its digest over their file lists too.

    Raises EnvironmentMismatchError when the folder, the required version in it, or the interpreter is not there.
    """
    folder = Path(recipe.site)
    python = interpreter(recipe.python or None)
    packages = _packages(folder)
    for requirement in recipe.requirements:
        name, _, version = requirement.partition("==")
        if packages.get(canonicalize_name(name)) != version:
            found = packages.get(canonicalize_name(name), "none")
            hint = "install it there, or name the folder that holds it as `site`"
            raise EnvironmentMismatchError(f"{folder} holds no {name} {version} (found: {found})", hint=hint)
    beside = _beside(folder, python)
    lock = tuple(sorted(f"{name}=={version}" for name, version in (beside | packages).items()))
    body = "\n".join([*lock, *_file_lists(folder), f"python {python.version}"])
    return Artifact(
        KIND, str(folder), hashlib.sha256(body.encode()).hexdigest(), lock, 0.0, reused=True, python=python.path
    )


def site_environ(environ: dict[str, str], folder: Path, python: str) -> dict[str, str]:
    """A server's environment: the folder before the interpreter's own packages, instead of a virtual environment."""
    path = environ["PATH"].removeprefix(str(folder / "bin") + os.pathsep)
    ours = {"PYTHONPATH": str(folder), "PATH": os.pathsep.join([str(folder / "bin"), str(Path(python).parent), path])}
    return {k: v for k, v in environ.items() if k != "VIRTUAL_ENV"} | ours


def _packages(folder: Path) -> dict[str, str]:
    """Canonical name to version of what has a dist-info folder there."""
    return {canonicalize_name(name): dist.version for name, dist in _distributions(folder)}


def _distributions(folder: Path) -> Iterator[tuple[str, metadata.Distribution]]:
    for dist in metadata.distributions(path=[str(folder)]):
        name = dist.metadata["Name"]
        if name:
            yield name, dist


def _file_lists(folder: Path) -> list[str]:
    """One line a package: the hash of its RECORD, which holds the hashes of its files as they were installed."""
    lines = []
    for name, dist in _distributions(folder):
        record = (dist.read_text("RECORD") or "").encode()
        lines.append(f"{canonicalize_name(name)} {hashlib.sha256(record).hexdigest()}")
    return sorted(lines)


def _beside(folder: Path, python: Interpreter) -> dict[str, str]:
    """What the interpreter itself holds of the packages that such folders leave to it."""
    environ = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run([python.path, "-c", _ASK, *_BESIDE], capture_output=True, text=True, check=False, env=environ)
    found: dict[str, str] = json.loads(done.stdout) if done.returncode == 0 else {}
    return found
