"""What an installation takes on disk: its database, logs, cache and images."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.core.errors import ConfigError
from matrix.executors.docker.usage import ImageUse, image_use

MOST_FILES = 100_000
"""Files of a folder that are looked at; a larger folder holds at least what was counted."""


@dataclass(frozen=True, slots=True)
class FolderUse:
    """Bytes in a folder's files, and the bytes free on its file system. `whole` is False where there are more files
    than were counted.
    """

    name: str
    bytes: int
    files: int
    whole: bool
    free: int | None


@dataclass(frozen=True, slots=True)
class DiskView:
    """`database` in bytes, with its write-ahead log; None for one that is no file here. `images` is None where no
    Docker daemon answers.
    """

    database: int | None
    folders: list[FolderUse]
    images: ImageUse | None


def disk(database: Path | None, state_dir: Path) -> DiskView:
    """Looks at the files as they are now; what cannot be read counts as nothing."""
    folders = [folder_use("logs and notes", state_dir)]
    with suppress(ConfigError):
        folders.append(folder_use("cache", cache_dir()))
    return DiskView(_database(database), folders, image_use())


def folder_use(name: str, folder: Path) -> FolderUse:
    """Hard-linked files count once each; symbolic links are not followed."""
    size, files = 0, 0
    seen: set[tuple[int, int]] = set()
    for entry in _files(folder):
        if files == MOST_FILES:
            return FolderUse(name, size, files, False, _free(folder))
        try:
            stat = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        files += 1
        if (stat.st_dev, stat.st_ino) not in seen:
            seen.add((stat.st_dev, stat.st_ino))
            size += stat.st_size
    return FolderUse(name, size, files, True, _free(folder))


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        yield entry
        except OSError:
            continue


def _database(file: Path | None) -> int | None:
    if file is None:
        return None
    parts = (file, file.with_name(f"{file.name}-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _free(folder: Path) -> int | None:
    there = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return shutil.disk_usage(there).free if there else None
