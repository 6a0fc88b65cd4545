"""`matrix bisect packages`: one engine revision works in one environment and fails in another; which package is it?"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from matrix.app.bisect.packages import bisect_packages, names_of
from matrix.app.setup import config_at_hand
from matrix.cli.bisect.run import carried_out, cell_options, request_from, search_options
from matrix.core.errors import ConfigError
from matrix.store import open_store

_optional_cell: Callable[[Callable[..., Any]], Callable[..., Any]] = partial(cell_options, required=False)


@click.command("packages")
@_optional_cell
@click.option("--good", required=True, metavar="RUN|FILE", help="A run that was good, or the lock of its environment.")
@click.option("--bad", required=True, metavar="RUN|FILE", help="A run that was bad, or the lock of its environment.")
@click.option("--revision", default="", help="The revision to run, where the two hold different ones.")
@search_options
def packages(db: str, executor: str | None, yes: bool, as_json: bool, **options: Any) -> int:
    """Search the package between two environments of one engine revision that makes the difference.

    A run names its cell too; between two files name --engine and --target. A file is what `pip freeze` writes. Exit
    codes as those of `matrix bisect run`.
    """
    options["config"] = config_at_hand(options["config"], db, lambda text: click.echo(text, err=True))
    store = open_store(db)
    try:
        known = names_of([options["good"], options["bad"]], store)
    finally:
        store.close()
    options |= {name: value for name, value in known.items() if options[name] is None}
    for name in ("engine", "target"):
        if options[name] is None:
            raise ConfigError(f"--{name} is missing", hint="two files do not say which cell to run")
    for name in ("good", "bad"):
        options[name] = _whole(options[name])
    return carried_out(bisect_packages, request_from(executor, options), db, executor, yes=yes, as_json=as_json)


def _whole(text: str) -> str:
    """A file by its whole path, so that the command goes on from any folder."""
    path = Path(text).expanduser()
    return str(path.resolve()) if path.is_file() else text
