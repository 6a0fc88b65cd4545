"""Opens what a verb needs and closes it again: config, executor, store, plan."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from matrix.app.executors import make_executor
from matrix.app.gather import Source
from matrix.app.planning import Plan, make_plan
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.ports import Executor
from matrix.store import Store, open_store, state_dir_of


@dataclass(frozen=True, slots=True)
class Ready:
    """`store` is None when there is no database yet and none was to be made."""

    plan: Plan
    executor: Executor
    store: Store | None


@contextmanager
def prepare(
    config: Path, db: str, executor: str | None, select: Sequence[str], *, force: bool, create: bool
) -> Iterator[Ready]:
    """Plan of `config`; `create` makes the database when it is missing."""
    source = Source(config)
    name = executor_name(source, executor)
    chosen = make_executor(name, source.config.docker, config.resolve().parent, state_dir_of(db))
    store = open_existing(db) if not create else open_store(db)
    try:
        yield Ready(make_plan(source, chosen, store, select, force=force), chosen, store)
    finally:
        if store is not None:
            store.close()


def executor_name(source: Source, asked: str | None) -> str:
    """The executor asked for on the command line or in the file; `auto` is venv where an engine is installed already.

    Raises ConfigError when another than venv is to serve such an engine.
    """
    name = asked or source.config.executor
    sites = [engine for engine, table in source.config.engines.items() if table.site is not None]
    if not sites or name == "venv":
        return name
    if name == "auto":
        return "venv"
    where = source.where("engines", sites[0], "install")
    raise ConfigError("a site is served by the venv executor", hint="leave out `--executor`", where=where)


def open_existing(db: str) -> Store | None:
    """The store at `db`, or None when there is none yet."""
    try:
        return open_store(db, must_exist=True)
    except NotFoundError:
        return None
