"""Source files of published wheels: each wheel is downloaded once, and only the files that are asked for are kept."""

import fnmatch
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.engine import CACHE

_PLATFORMS = [f"manylinux{tag}_x86_64" for tag in ("1", "2014", "_2_17", "_2_28", "_2_31", "_2_34", "_2_35")]
_PYTHON = "3.11"
"""Of the wheels built for one Python each, those of this one are read, whichever Python reads them."""

_JOIN = re.compile(r"""(?<=[^"'\\])(["'])\s*\n\s*[rRfF]{0,2}\1""")


class NoSuchWheelError(Exception):
    """The index has no such wheel."""


@dataclass
class Volume:
    """What was downloaded in this process, in bytes."""

    wheels: int = 0
    size: int = 0
    lines: list[str] = field(default_factory=list)


VOLUME = Volume()


@dataclass
class Sources:
    """Some files of a wheel: path -> text, as it stands and with adjacent string literals joined to one."""

    plain: dict[str, str]
    joined: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.joined = {name: _JOIN.sub("", text) for name, text in self.plain.items()}

    def say(self, text: str, patterns: Collection[str]) -> bool:
        """True when `text` occurs in a file that matches one of `patterns` (fnmatch)."""
        names = _matching(self.plain, patterns)
        return any(text in self.plain[name] or text in self.joined[name] for name in names)


def sources(distribution: str, version: str, patterns: Collection[str]) -> Sources:
    """The members of a wheel that match one of `patterns` (fnmatch).

    Raises NoSuchWheelError when the index lacks the wheel; a download that fails otherwise is a failed test.
    """
    name = hashlib.sha256("\n".join(sorted(patterns)).encode()).hexdigest()[:12]
    kept = CACHE / "witnesses" / f"{distribution}-{version}-{name}.zip"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        for older in kept.parent.glob(f"{distribution}-{version}-????????????.zip"):
            older.unlink()
        _keep(distribution, version, patterns, kept)
    with zipfile.ZipFile(kept) as archive:
        return Sources({member: archive.read(member).decode("utf-8", "replace") for member in archive.namelist()})


def _keep(distribution: str, version: str, patterns: Collection[str], kept: Path) -> None:
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        wheel = _download(distribution, version, Path(folder))
        VOLUME.wheels += 1
        VOLUME.size += wheel.stat().st_size
        partial = Path(folder, "kept.zip")
        with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as part:
            for member in _matching(whole.namelist(), patterns):
                part.writestr(member, whole.read(member))
        partial.replace(kept)


def _download(distribution: str, version: str, folder: Path) -> Path:
    """By package name, from the index that the user's own settings name."""
    choice = ["--only-binary=:all:", "--python-version", _PYTHON, *(f"--platform={p}" for p in _PLATFORMS)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *choice, "--dest", str(folder)]
    done = subprocess.run([*command, f"{distribution}=={version}"], capture_output=True, text=True, check=False)
    if "No matching distribution found" in done.stderr:
        raise NoSuchWheelError(f"the index has no wheel of {distribution} {version}")
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def _matching(names: Iterable[str], patterns: Collection[str]) -> list[str]:
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
