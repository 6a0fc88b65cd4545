"""What a model folder holds, as one hash: weights change in place under an unchanged name."""

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from matrix.core.cell import digest
from matrix.core.errors import ConfigError, InfraError

# Files beside a model that no engine reads. Everything else counts: an unknown file is taken to matter.
_ASIDE_NAMES = ("readme", "license", "licence", "notice", "use_policy", "changelog", "events.out.tfevents")
_ASIDE_SUFFIXES = frozenset(
    {".md", ".log", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf", ".ipynb", ".lock"}
)

_WEIGHTS = frozenset({".safetensors", ".bin", ".pt", ".pth", ".gguf"})

# A file written this recently may be written again within the same clock tick, so its hash is not remembered.
_SETTLED_S = 2.0


def content_hash(path: Path, cache_dir: Path) -> str:
    """SHA-256 (hex) over the relative names and contents of all files in a model folder that decide its output.

    Read-me files, licences, pictures, logs and dotfiles do not count. Each file is hashed once and remembered in
    `cache_dir` by path, size, modification time and inode. Raises ConfigError when there is no such folder or nothing
    in it, InfraError when a file cannot be read.
    """
    if not path.is_dir():
        raise ConfigError(f"no model folder {path}", hint="check the path")
    files = deciding_files(path)
    if not files:
        raise ConfigError(f"no model files in {path}", hint="check the path; weights and config.json belong there")
    return digest([[str(file.relative_to(path)), _file_hash(file, cache_dir)] for file in files])


def size(path: Path) -> int:
    """Bytes of the weight files in a model folder; 0 where there are none, as in one that is not fetched yet."""
    return sum(file.stat().st_size for file in path.glob("*") if file.suffix in _WEIGHTS and file.is_file())


def deciding_files(path: Path) -> list[Path]:
    """Files that count, sorted by relative name; links to files are followed, as hub snapshots consist of them."""
    found = []
    for folder, folders, names in os.walk(path, onerror=_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if _decides(name)]
    return sorted(found, key=lambda file: file.relative_to(path).as_posix())


def _decides(name: str) -> bool:
    lower = name.lower()
    return not lower.startswith((".", *_ASIDE_NAMES)) and Path(lower).suffix not in _ASIDE_SUFFIXES


def _file_hash(file: Path, cache_dir: Path) -> str:
    try:
        before = file.stat()
        facts = [before.st_size, before.st_mtime_ns, before.st_ino]
        note = cache_dir / "file-hashes" / digest(str(file.absolute()))[:32]
        if known := _remembered(note, facts):
            return known
        with file.open("rb") as stream:
            value = hashlib.file_digest(stream, "sha256").hexdigest()
        after = file.stat()
    except OSError as exc:
        _unreadable(exc)
    if [after.st_size, after.st_mtime_ns, after.st_ino] != facts:
        raise InfraError(f"{file} changed while it was read", hint="wait until it is written, then run again")
    if time.time() - before.st_mtime > _SETTLED_S:
        _remember(note, facts, value)
    return value


def _unreadable(exc: OSError) -> NoReturn:
    hint = "check its permissions, or download the model again"
    raise InfraError(f"cannot read {exc.filename}: {exc.strerror}", hint=hint) from exc


def _remembered(note: Path, facts: list[int]) -> str | None:
    with suppress(OSError, ValueError, TypeError):
        *known, value = json.loads(note.read_text())
        return str(value) if known == facts else None
    return None


def _remember(note: Path, facts: list[int], value: str) -> None:
    with suppress(OSError):  # a note that cannot be written only costs hashing again
        note.parent.mkdir(parents=True, exist_ok=True)
        part = note.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps([*facts, value]))
        part.replace(note)
