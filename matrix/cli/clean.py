"""`matrix clean`: makes room on the disk, within the budget of the matrix file."""

import math
from pathlib import Path

import click

from matrix.app.room import look, make_room
from matrix.app.setup import USUAL_CONFIG, config_at_hand
from matrix.app.source import Source
from matrix.cli.options import config_option, db_option, echo_json, json_option, waiting
from matrix.cli.plain import plain
from matrix.cli.room_text import body, lines
from matrix.core.errors import ConfigError, Exit, Where
from matrix.store import open_store


def _number(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """No range keeps `nan` out."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no number of GiB")
    return value


@click.command("clean")
@config_option
@db_option
@click.option(
    "--disk-gib", type=click.FloatRange(0, 1e9), callback=_number, help="Budget in GiB instead of the file's."
)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@json_option
def command(config: str, db: str, disk_gib: float | None, dry_run: bool, as_json: bool) -> int:
    """Remove images, environments, caches and logs that were not used for longest, until they fit [artifacts] disk_gib.

    What an open bisection, a regression that stands or a cell under way needs stays. Exit code 4 when that leaves more
    than the budget.
    """
    budget = budget_of(config, db) if disk_gib is None else int(disk_gib * 2**30)
    if budget is None and not dry_run:
        hint = "set it to the GiB that artifacts may take, or give --disk-gib"
        raise ConfigError("no disk budget is set", hint=hint, where=Where(config, key="artifacts.disk_gib"))
    store = open_store(db, must_exist=True)
    try:
        room = look(store, budget) if dry_run or budget is None else make_room(store, budget, lambda text: None)
    finally:
        store.close()
    if as_json:
        echo_json(body(room, budget))
    else:
        for line in lines(room, budget, "would go" if dry_run else "removed"):
            click.echo(plain(line))
    return Exit.INFRA if room.now.over else Exit.OK


def budget_of(config: str, db: str) -> int | None:
    """The budget of the file at hand, in bytes; None where it sets none, or where none was named and none is here."""
    found = Path(config_at_hand(config, db, waiting))
    return Source(found).config.artifacts.disk_bytes if found.is_file() or config != USUAL_CONFIG else None
