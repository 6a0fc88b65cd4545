"""One commit's Python laid over an installed package."""

import filecmp
import glob
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from matrix.core.errors import BuildError
from matrix.core.recipe import Overlay, Recipe

COMPILED = (".so", ".pyd", ".a", ".o", ".cubin", ".fatbin")
"""Suffixes of what a build makes and no commit holds (a `.so` may carry a number: `libx.so.1`)."""

GENERATED = ("_version.py",)
"""Names of Python files that a build writes."""


def line(overlay: Overlay, tree: str) -> str:
    """The overlay's line in a package lock, without the commit: two commits with the same files are one artifact."""
    return f"overlay {overlay.package} tree {tree}"


def below(recipe: Recipe) -> Recipe:
    """The recipe of what an overlay lies on: the release's own, so that the release and all commits on it share it."""
    dockerfile = recipe.dockerfile.replace("-commit.", ".")
    return replace(recipe, name=recipe.name.removesuffix("-commit"), dockerfile=dockerfile, overlay=None)


def package_folder(site_packages: Path, overlay: Overlay) -> Path:
    """Where the package is installed; raises BuildError when it is not."""
    folder = site_packages / overlay.package.replace(".", "/")
    if not (folder / "__init__.py").exists() and not folder.is_dir():
        cause = f"no package {overlay.package} is installed, so commit {overlay.commit[:12]} cannot be laid over it"
        raise BuildError(cause, hint="the overlay's package must be the engine's import name")
    return folder


def lay_over(archive: Path, package: Path, scratch: Path) -> None:
    """Make the installed `package` equal to the tar `archive`, except for what only a build makes.

    What is equal already stays as it is, its bytecode too. Changed files are written anew and never in place: the old
    ones may be shared with other environments through hard links.
    """
    with tarfile.open(archive) as tar:
        # Early releases of 3.11 have no filters; git writes no path that leaves the folder.
        options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(scratch, **options)  # noqa: S202  # nosec B202
    for old in sorted(package.rglob("*")):
        if old.is_symlink() or not old.is_dir():
            _keep_or_remove(old, scratch / old.relative_to(package))
    _remove_empty(package)
    for new in sorted(scratch.rglob("*")):
        target = package / new.relative_to(scratch)
        if (new.is_symlink() or not new.is_dir()) and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(new, target)
    shutil.rmtree(scratch)


def built(name: str) -> bool:
    """True for a file that only a build makes."""
    return name in GENERATED or name.endswith(COMPILED) or ".so." in name


def _keep_or_remove(old: Path, new: Path) -> None:
    if old.suffix == ".pyc":
        return
    there = new.exists() and not old.is_symlink() and not new.is_symlink()
    if there and filecmp.cmp(old, new, shallow=False):
        return
    if new.exists() or not built(old.name):
        old.unlink()
        for bytecode in old.parent.glob(f"__pycache__/{glob.escape(old.stem)}.*.pyc"):
            bytecode.unlink()


def _remove_empty(package: Path) -> None:
    """A folder without files would still be found by an import."""
    for folder in sorted((p for p in package.rglob("*") if p.is_dir() and not p.is_symlink()), reverse=True):
        if folder.name != "__pycache__" and {p.name for p in folder.iterdir()} <= {"__pycache__"}:
            shutil.rmtree(folder)
