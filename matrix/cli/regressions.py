"""`matrix regressions`: what broke and stands, whose fault it is, and what to do next."""

import click

from matrix.app.attribute import regressions
from matrix.app.regression import Regression
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.regression_text import blocks
from matrix.core.errors import Exit
from matrix.store import open_store


@click.command("regressions")
@db_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Those that were fixed since, and new failures, too.")
def command(db: str, as_json: bool, everything: bool) -> int:
    """List standing regressions, one block for each cause; with --json one object a line.

    Exit code 1 when any stands that nobody has acknowledged (`matrix ack`).
    """
    store = open_store(db, must_exist=True)
    try:
        found = regressions(store, None if everything else True)
    finally:
        store.close()
    if as_json:
        for item in found:
            echo_json(item)
    else:
        _text(found)
    return Exit.REGRESSION if any(item.counts for item in found) else Exit.OK


def _text(found: list[Regression]) -> None:
    for line in blocks(found):
        click.echo(line)
    standing = [item for item in found if item.standing]
    if not standing:
        click.echo("no regression stands")
    elif not any(item.counts for item in standing):
        click.echo("all that stand are acknowledged")
