"""Where an environment lies, and the marker that says it is whole."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from matrix.core.cell import digest
from matrix.core.recipe import Recipe
from matrix.executors.venv_python import Interpreter

MARKER = "specmatrix.json"
NAME_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Marker:
    """What a finished environment holds; `seconds` is what building it took, `recipe` the recipe's whole text."""

    digest: str
    lock: tuple[str, ...]
    seconds: float
    python: str
    recipe: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """The folder of one environment. Without a readable marker and an interpreter that exists it counts as absent."""

    path: Path

    @property
    def python(self) -> Path:
        return self.path / "bin" / "python"

    @property
    def lock(self) -> Path:
        """The file that builders lock; never deleted, since deleting a lock file lets two processes hold it."""
        return self.path.with_name(f"{self.path.name}.lock")

    def marker(self) -> Marker | None:
        try:
            body = json.loads((self.path / MARKER).read_text())
            body["lock"], body["notes"] = tuple(body["lock"]), tuple(body["notes"])
            return Marker(**body) if self.python.exists() else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def half_made(self) -> bool:
        """True for the folder of a build that did not come to its end."""
        named = len(self.path.name) == NAME_LENGTH and self.path.is_dir()
        return named and not (self.path / MARKER).exists()

    def finish(self, marker: Marker) -> None:
        """Write the marker so that it is there whole or not at all, even after a power cut."""
        part = self.path / f"{MARKER}.part"
        with part.open("w") as file:
            json.dump(asdict(marker), file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path / MARKER)
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def marker_of(recipe: Recipe, lock: tuple[str, ...], python: str, notes: tuple[str, ...]) -> Marker:
    """The marker of what `lock` lists under that Python; its time is not known yet."""
    text = "\n".join([*lock, f"python {python}"])
    return Marker(hashlib.sha256(text.encode()).hexdigest(), lock, 0.0, python, recipe.text, notes)


def environment(root: Path, recipe: Recipe, python: Interpreter) -> Environment:
    """The one folder for this recipe under this Python on this platform."""
    return Environment(root / digest([recipe.hash, python.version, python.platform])[:NAME_LENGTH])
