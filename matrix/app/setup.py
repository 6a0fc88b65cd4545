"""Opens what a verb needs and closes it again: config, executor, store, plan."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from matrix.app.executors import make_executor
from matrix.app.gather import Source
from matrix.app.planning import Plan, make_plan
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.ports import Executor
from matrix.store import Store, open_store, state_dir_of

USUAL_CONFIG = "matrix.toml"
_ONLY = {"site": "venv", "image": "docker"}


@dataclass(frozen=True, slots=True)
class Ready:
    """`store` is None when there is no database yet and none was to be made."""

    plan: Plan
    executor: Executor
    store: Store | None


@contextmanager
def prepare(
    config: Path,
    db: str,
    executor: str | None,
    select: Sequence[str],
    *,
    force: bool,
    create: bool,
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Ready]:
    """Plan of `config`; `create` makes the database when it is missing; `say` is told what is waited for."""
    source = Source(config, say)
    name = executor_name(source, executor)
    chosen = make_executor(name, source.config, config.resolve().parent, state_dir_of(db))
    store = open_existing(db) if not create else open_store(db)
    try:
        yield Ready(make_plan(source, chosen, store, select, force=force), chosen, store)
    finally:
        if store is not None:
            store.close()


def config_at_hand(asked: str, db: str, say: Callable[[str], None]) -> str:
    """The config file to use: `asked`, or that of the database's newest sweep where the usual one is not here.

    So the command that a regression prints works where the sweep's file lies elsewhere, as the demo's does.
    """
    if asked != USUAL_CONFIG or Path(asked).exists():
        return asked
    store = open_existing(db)
    if store is None:
        return asked
    try:
        last = store.sweeps.last_config()
    finally:
        store.close()
    if last is None or not Path(last).is_file():
        return asked
    say(f"there is no {asked} here: using that of the last sweep, {last}")
    return last


def executor_name(source: Source, asked: str | None) -> str:
    """The executor asked for on the command line or in the file; `auto` is the only one that can serve all engines.

    An engine that is installed already is served by venv, a published image by docker. Raises ConfigError when another
    is asked for.
    """
    name = asked or source.config.executor
    serving = source.config.ray.executor if name == "ray" else name
    for engine, table in source.config.engines.items():
        only = _ONLY.get(table.install)
        if only is not None and serving not in (only, "auto"):
            where = source.where("engines", engine, "install")
            cause = f'`install = "{table.install}"` is served by the {only} executor'
            hint = f'`executor = "{only}"` in [ray]' if name == "ray" else f"`--executor {only}`, or leave it out"
            raise ConfigError(cause, hint=hint, where=where)
        serving = only or serving
    return "ray" if name == "ray" else serving


def open_existing(db: str) -> Store | None:
    """The store at `db`, or None when there is none yet."""
    try:
        return open_store(db, must_exist=True)
    except NotFoundError:
        return None
