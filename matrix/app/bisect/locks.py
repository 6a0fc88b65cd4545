"""The two environments between which packages are searched: stored runs, or files of locks."""

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from matrix.bisect.packages import Lock
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.core.revision import Revision, kind_of
from matrix.store import Store

_LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(?:==\s*(?P<version>[^\s;]+)|(?P<url>@ \S+))")
_PASSED_OVER = re.compile(r"\s*(?:#|--hash|overlay |$)")


@dataclass(frozen=True, slots=True)
class Environment:
    """What `text` names: version by package, and the cell that ran there where `text` is a run."""

    text: str
    lock: Lock
    cell: Cell | None = None


def environment(text: str, store: Store) -> Environment:
    """The environment of a run, or of a file as `pip freeze`, `uv pip freeze` or `uv pip compile` write it.

    NotFoundError for neither, ConfigError for a run without a lock or a line that pins nothing.
    """
    path = Path(text).expanduser()
    if path.is_file():
        return Environment(text, read_lock(path))
    cell = store.runs.cell(text)
    if cell is None:
        hint = "give a run's id, as `matrix results` shows it, or a file that `pip freeze` wrote"
        raise NotFoundError(f"`{text}` is neither a run nor a file", hint=hint)
    lock = store.compare.sides([text])[text].lock
    if not lock:
        raise ConfigError(f"run {text} has no package lock: its environment was not made", hint="give another run")
    return Environment(text, {canonicalize_name(name): _spelled(version) for name, version in lock.items()}, cell)


def read_lock(path: Path) -> Lock:
    """Version by package name. ConfigError for a line that pins no version, naming it, and for a file without any."""
    found: Lock = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if _PASSED_OVER.match(line):
            continue
        match = _LINE.match(line.strip())
        if match is None:
            hint = "each line is `name==version` or `name @ address`, as `pip freeze` writes them"
            raise ConfigError(f"`{line.strip()[:80]}` pins no version", hint=hint, where=Where(str(path), number))
        found[canonicalize_name(match["name"])] = match["version"] or match["url"]
    if not found:
        raise ConfigError("the file pins no package", hint="write it with `pip freeze`", where=Where(str(path)))
    return found


def around(good: Environment, bad: Environment, engine: str, project: str, asked: str) -> tuple[Revision, Lock, Lock]:
    """The revision around which packages are searched, and both locks with it; `project` is the engine's package.

    `asked` names the revision where the environments hold different ones (empty: they must not). ConfigError where they
    do, or hold no engine.
    """
    for side in (good, bad):
        if project not in side.lock:
            raise ConfigError(f"there is no {project} in the environment of {side.text}", hint="check --engine")
    versions = [side.lock[project] for side in (good, bad)]
    ran = [side.cell.revision if side.cell else None for side in (good, bad)]
    if asked:
        at = next((i for i, revision in enumerate(ran) if revision is not None and revision.version == asked), None)
        version = asked if at is None else versions[at]
        revision = (None if at is None else ran[at]) or Revision(engine, asked, kind_of(asked))
        return revision, good.lock | {project: version}, bad.lock | {project: version}
    told = [str(one or f"{project} {version}") for one, version in zip(ran, versions, strict=True)]
    if versions[0] != versions[1] or (None not in ran and ran[0] != ran[1]):
        hint = "name the one to run with --revision, or search the engine with `matrix bisect run`"
        raise ConfigError(f"the engine itself differs: {told[0]} and {told[1]}", hint=hint)
    return ran[0] or ran[1] or Revision(engine, versions[0], kind_of(versions[0])), good.lock, bad.lock


def _spelled(version: str) -> str:
    """A stored lock has the address of a package without its sign."""
    return f"@ {version}" if "://" in version or version.startswith("file:") else version
