"""A second environment from a first: its files shared through hard links, so that it costs a second and no space."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from matrix.executors.venv_paths import MARKER, Environment


def copy_environment(base: Environment, env: Environment) -> None:
    """Make `env` a copy of `base` without its marker. Scripts get the new path; nothing of `base` is changed."""
    shutil.copytree(base.path, env.path, symlinks=True, copy_function=_link, ignore=_marker_of(base))
    for script in (env.path / "bin").iterdir():
        if script.is_file() and not script.is_symlink():
            _rename(script, os.fsencode(base.path), os.fsencode(env.path))


def site_packages(env: Environment) -> Path:
    """The folder of installed packages."""
    return next((env.path / "lib").glob("python*/site-packages"))


def _marker_of(base: Environment) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [MARKER] if Path(folder) == base.path else []


def _link(source: str, target: str) -> str:
    """Some file systems have no hard links, or no more of one file."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
    return target


def _rename(script: Path, old: bytes, new: bytes) -> None:
    """Write a script that names its environment anew: the linked file is the base's too."""
    with script.open("rb") as file:
        if file.read(2) != b"#!" and not script.name.startswith("activate"):
            return
    body = script.read_bytes()
    if old in body:
        mode = script.stat().st_mode
        script.unlink()
        script.write_bytes(body.replace(old, new))
        script.chmod(mode)
