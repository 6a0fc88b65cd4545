"""The dashboard as a static site: every page that links reach, with feeds, JSON and plots, in one folder."""

import asyncio
import filecmp
import json
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI

import matrix
from matrix.app.writing import kept_whole
from matrix.core.errors import ConfigError, Where
from matrix.store import Filters, Store
from web.app import create_app
from web.export_ask import ask
from web.export_links import Place, feed, page, place_of
from web.files.feed import KIND
from web.store_reader import StoreReader

MARK = "specmatrix-site.json"
"""Says that a folder is such a site, and may be replaced by a newer one."""
_ROOTS = ("/", "/feed.atom", "/results.csv", "/api/matrix.json", "/openapi.json", "/regressions?standing=false")


@dataclass(frozen=True, slots=True)
class Exported:
    """`written` of the `files` are new or differ from what was there; the others are the same files still."""

    folder: str
    files: int
    written: int


@dataclass(slots=True)
class _Copy:
    """A copy under way: `left` are places still to ask for."""

    app: FastAPI
    new: Path
    old: Path | None
    left: deque[Place] = field(default_factory=deque)
    known: set[str] = field(default_factory=set)
    written: int = 0

    def add(self, place: Place) -> None:
        """Each file is made once, whatever addresses lead to it."""
        if place.file not in self.known:
            self.known.add(place.file)
            self.left.append(place)


def write_site(store: Store, folder: Path) -> Exported:
    """Write the site in place of an older one, at once when it is whole; ConfigError for a folder of something else."""
    target = folder.resolve()
    _check(target)
    with kept_whole(target):
        return _write(store, folder, target)


def _write(store: Store, folder: Path, target: Path) -> Exported:
    new = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        old = target if (target / MARK).is_file() else None
        copy = _Copy(create_app(StoreReader(store), clock=_stopped(store)), new, old)
        _run(_crawl(copy))
        (new / MARK).write_text(json.dumps({"specmatrix": matrix.__version__}) + "\n")
        new.chmod(0o755)
        _swap(new, target)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return Exported(str(folder), len(copy.known), copy.written)


def _run(work: Coroutine[Any, Any, None]) -> None:
    """To its end; in a thread where an event loop runs in this one already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def _check(target: Path) -> None:
    where = Where(str(target))
    if not target.parent.is_dir():
        raise ConfigError("its folder does not exist", hint=f"make it: mkdir -p {target.parent}", where=where)
    if target.exists() and not target.is_dir():
        raise ConfigError("it is a file", hint="name a folder", where=where)
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise ConfigError("it is not empty and no exported site", hint="name an empty or new folder", where=where)


def _stopped(store: Store) -> Callable[[], float]:
    """A clock that stands at the newest run: equal databases then give equal files."""
    newest = next(store.read.results(Filters(newest=True, limit=1)), None)
    moment = newest.finished_at if newest else 0.0
    return lambda: moment


async def _crawl(copy: _Copy) -> None:
    for address in _ROOTS:
        if place := place_of(address):
            copy.add(place)
    while copy.left:
        await _make(copy, copy.left.popleft())


async def _make(copy: _Copy, place: Place) -> None:
    path = copy.new / place.file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        answer = await ask(copy.app, place.asked, file.write)
    turn = page if answer.kind.startswith("text/html") else feed if answer.kind.startswith(KIND) else None
    if turn is not None:
        text = path.read_bytes().decode()
        path.write_bytes(turn(text, place.file, copy.add).encode())
    _keep_old(copy, place.file)


def _keep_old(copy: _Copy, name: str) -> None:
    """What did not change stays the same file, so that copying the site on sends only what did."""
    path, before = copy.new / name, copy.old / name if copy.old else None
    if before and before.is_file() and filecmp.cmp(before, path, shallow=False):
        shutil.copystat(before, path)
    else:
        copy.written += 1


def _swap(new: Path, target: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
    target.rename(aside / "site")
    try:
        new.rename(target)
    except OSError:
        (aside / "site").rename(target)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
