"""`matrix regressions`: what broke and stands."""

import click

from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.tables import plain
from matrix.core.errors import Exit
from matrix.store import open_store


@click.command("regressions")
@db_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Those that were fixed since, too.")
def command(db: str, as_json: bool, everything: bool) -> int:
    """List standing regressions with their reasons; with --json one object a line. Exit code 1 when any stands."""
    store = open_store(db, must_exist=True)
    try:
        flips = store.read.regressions(standing=None if everything else True)
    finally:
        store.close()
    for flip in flips:
        if as_json:
            echo_json(flip)
        else:
            click.echo(f"{flip.series}: {flip.metric} {flip.before} -> {flip.after}")
            click.echo(f"  {flip.from_revision} -> {flip.to_revision}: {plain(flip.reason)}")
            click.echo(f"  run {flip.to_run}, before it run {flip.from_run}")
    if not flips and not as_json:
        click.echo("no regression stands")
    return Exit.REGRESSION if any(flip.standing for flip in flips) else Exit.OK
