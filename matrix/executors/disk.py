"""What environments, caches and logs take on disk, and their removal."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import uv
from filelock import FileLock, Timeout

from matrix.executors.processes import BUILD, marked
from matrix.executors.uses import ENVIRONMENT, Use, Uses
from matrix.executors.venv_build import discard
from matrix.executors.venv_environ import MODEL_NOTES
from matrix.executors.venv_paths import MARKER, Environment
from matrix.plan.eviction import Thing

COMPILED, WHEELS, LOG, OTHER = "compile cache", "wheels", "log", "other"
Held = Mapping[str, Sequence[str]]
"""Why something must stay, by the digest of an artifact or the reference of a log."""

IN_USE = "in use now"
_LISTS = "repositories and lists, which this program keeps"


@dataclass(frozen=True, slots=True)
class Folders:
    """The cache folder and the state folder of one database."""

    cache: Path
    state: Path

    @property
    def uses(self) -> Uses:
        """Notes of use."""
        return Uses(self.cache, self.state)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes that the removal of each folder alone frees, and those that several of them share by hard links.

    Files that others link to as well, such as the user's own package cache, are none of either: they stay anyway.
    """

    own: dict[Path, int]
    shared: int


def sizes(folders: Sequence[Path]) -> Sizes:
    """Blocks on disk, looked up now; what vanishes meanwhile counts as nothing."""
    own: dict[Path, int] = {}
    links: Counter[int] = Counter()
    linked: dict[int, tuple[int, int]] = {}
    for folder in folders:
        here: Counter[int] = Counter()
        alone = 0
        for stat in _stats(folder):
            if stat.st_nlink == 1:
                alone += 512 * stat.st_blocks
            else:
                here[stat.st_ino] += 1
                linked[stat.st_ino] = stat.st_nlink, 512 * stat.st_blocks
        whole = [inode for inode, count in here.items() if count == linked[inode][0]]
        own[folder] = alone + sum(linked.pop(inode)[1] for inode in whole)
        links.update({inode: count for inode, count in here.items() if inode in linked})
    return Sizes(own, sum(size for inode, (count, size) in linked.items() if links[inode] == count))


def things(folders: Folders, held: Held) -> tuple[list[Thing], int]:
    """All that lies in both folders but the database, and the bytes that no removal alone frees."""
    found = list(_folders(folders))
    measured = sizes([path for _, path in found])
    busy, uses = _busy(), folders.uses.all(ENVIRONMENT)
    listed = [_thing(kind, path, measured.own[path], folders, uses, held, busy) for kind, path in found]
    return [*listed, *_logs(folders.state, held)], measured.shared


def remove(thing: Thing, folders: Folders) -> bool:
    """Remove it; False where it was taken into use meanwhile, or is not ours to remove."""
    if thing.kind == ENVIRONMENT:
        return _remove_environment(thing, folders)
    if thing.kind == COMPILED:
        return _remove_folder(folders.cache / "compiled" / thing.ref)
    if thing.kind == WHEELS:
        command = [uv.find_uv_bin(), "cache", "clean", "--cache-dir", str(folders.cache / thing.ref)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    if thing.kind == LOG:
        (folders.state / "logs" / thing.ref[:2] / f"{thing.ref}.gz").unlink(missing_ok=True)
        return True
    return False


def _folders(folders: Folders) -> Iterator[tuple[str, Path]]:
    cache = folders.cache
    for path in _below(cache):
        if path.name == "envs":
            yield from ((ENVIRONMENT, env) for env in _below(path) if (env / MARKER).is_file())
        elif path.name == "compiled":
            yield from ((COMPILED, own) for env in _below(path) for own in _below(env))
        else:
            yield (WHEELS if path.name == "uv" else OTHER), path


def _thing(
    kind: str, path: Path, size: int, folders: Folders, uses: Mapping[str, Use], held: Held, busy: frozenset[str]
) -> Thing:
    if kind == ENVIRONMENT:
        marker, use = Environment(path).marker(), uses.get(path.name, Use())
        holds = [*held.get(marker.digest if marker else "", ()), *_elsewhere(use)]
        holds += [IN_USE] if str(path) in busy else []
        at = use.at if use.at is not None else _time(path / MARKER)
        return Thing(kind, path.name, size, at, tuple(holds), _first(marker.recipe if marker else ""))
    if kind == COMPILED:
        holds = [IN_USE] if str(path) in busy else []
        holds += ["shared by the cells of its environment"] if path.name == MODEL_NOTES else []
        return Thing(kind, f"{path.parent.name}/{path.name}", size, _time(path), tuple(holds))
    if kind == WHEELS:
        return Thing(kind, path.name, size, _newest(path), (IN_USE,) if BUILD in busy else ())
    return Thing(OTHER, path.name, size, _time(path), (_LISTS,))


def _logs(state: Path, held: Held) -> Iterator[Thing]:
    for folder in _below(state / "logs"):
        for entry in folder.glob("*.gz"):
            with suppress(OSError):
                stat, ref = entry.stat(), entry.stem
                yield Thing(LOG, ref, 512 * stat.st_blocks, stat.st_mtime, tuple(held.get(ref, ())))


def _remove_environment(thing: Thing, folders: Folders) -> bool:
    """Below the builders' lock; the marker goes first, so that a half-removed one counts as absent."""
    env = Environment(folders.cache / "envs" / thing.ref)
    try:
        with FileLock(env.lock, timeout=0):
            use = folders.uses.all(ENVIRONMENT).get(thing.ref, Use())
            if str(env.path) in _busy() or (use.at or 0.0) > thing.used_at:
                return False
            (env.path / MARKER).unlink(missing_ok=True)
            discard(env)
            folders.uses.forget(ENVIRONMENT, thing.ref)
            return True
    except Timeout:
        return False


def _remove_folder(path: Path) -> bool:
    """Renamed first, so that nobody finds half of it."""
    if str(path) in _busy():
        return False
    going = path.with_name(f".{path.name}.going")
    with suppress(FileNotFoundError):
        path.replace(going)
    discard(Environment(going))
    return True


def _busy() -> frozenset[str]:
    """Environments and compile caches of servers that run, and BUILD while anything is installed."""
    found: set[str] = set()

    def look(environ: Mapping[str, str]) -> bool:
        found.update(value for name in ("VIRTUAL_ENV", BUILD) if (value := environ.get(name)))
        found.update(str(Path(value).parent) for name in ("VLLM_CACHE_ROOT",) if (value := environ.get(name)))
        found.update({BUILD} if BUILD in environ else ())
        return False

    marked(look)
    return frozenset(found)


def _elsewhere(use: Use) -> list[str]:
    return [f"used by the database of {state} as well" for state in use.others]


def _stats(folder: Path) -> Iterator[os.stat_result]:
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError):
            place = waiting.pop()
            if not Path(place).is_dir():
                yield Path(place).stat()
                continue
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        with suppress(OSError):
                            yield entry.stat(follow_symlinks=False)


def _below(folder: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _time(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _newest(path: Path) -> float:
    return max([_time(path), *map(_time, _below(path))])


def _first(text: str) -> str:
    return text.splitlines()[0].removeprefix("recipe ") if text else ""
