"""Changes of other commits carried over onto one, as a tree: no checkout, and nothing written to its repository."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matrix.core.errors import BuildError
from matrix.core.recipe import Overlay
from matrix.executors.venv_shell import Finished


@dataclass(frozen=True, slots=True)
class Picking:
    """`git` runs git in the source with its new objects in the folder `aside`."""

    git: Callable[..., Finished]
    aside: Path


def aside(folder: Path, objects: Path) -> dict[str, str]:
    """Variables that have git write objects and the index below `folder` and read the rest from `objects`."""
    return {
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
        "GIT_INDEX_FILE": str(folder / "index"),
    }


def picked(picking: Picking, overlay: Overlay) -> str:
    """What git calls the overlay's files: its commit, or the tree that its picks make of it.

    A pick that the commit holds already changes nothing. Raises BuildError for one that conflicts.
    """
    if not overlay.picks:
        return overlay.commit
    (picking.aside / "objects").mkdir(parents=True, exist_ok=True)
    _must(picking.git("read-tree", overlay.commit), overlay, overlay.commit)
    for pick in overlay.picks:
        if picking.git("merge-base", "--is-ancestor", pick, overlay.commit).code == 0:
            continue
        patch = picking.aside / "patch"
        words = ("diff-tree", "-p", "--binary", "--full-index", f"--output={patch}", f"{pick}^", pick)
        _must(picking.git(*words), overlay, pick)
        if patch.stat().st_size:
            _must(picking.git("apply", "--cached", "--3way", str(patch)), overlay, pick)
    return _must(picking.git("write-tree"), overlay, overlay.commit).text.split()[-1]


def _must(done: Finished, overlay: Overlay, pick: str) -> Finished:
    if done.code != 0:
        said = " ".join(done.text.split())[-300:]
        cause = f"commit {pick[:12]} cannot be carried over onto {overlay.commit[:12]}: {said}"
        raise BuildError(cause, hint="pick another fix, or let the point be skipped", excerpt=done.text)
    return done
