"""`matrix regressions`: what broke and stands, whose fault it is, and what to do next."""

import click

from matrix.app.attribute import never_healthy, regressions
from matrix.app.regression import Regression
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.regression_text import blocks
from matrix.core.errors import Exit
from matrix.stats.words import count
from matrix.store import open_store


@click.command("regressions")
@db_option
@json_option
@click.option("--all", "everything", is_flag=True, help="Those that were fixed since, and new failures, too.")
def command(db: str, as_json: bool, everything: bool) -> int:
    """List standing regressions, one block for each cause; with --json one object a line.

    Exit code 1 when any stands that nobody has acknowledged (`matrix ack`). What was never healthy in its series fell
    from nothing: it is counted in a line of its own, and listed by --all.
    """
    store = open_store(db, must_exist=True)
    try:
        found = regressions(store, None if everything else True)
        lasting = [] if as_json or everything else never_healthy(store)
    finally:
        store.close()
    if as_json:
        for item in found:
            echo_json(item)
    else:
        _text(found)
        _never_healthy(lasting)
    return Exit.REGRESSION if any(item.counts for item in found) else Exit.OK


def _text(found: list[Regression]) -> None:
    for line in blocks(found):
        click.echo(line)
    standing = [item for item in found if item.standing]
    if not standing:
        click.echo("no regression stands")
    elif not any(item.counts for item in standing):
        click.echo("all that stand are acknowledged")


def _never_healthy(found: list[Regression]) -> None:
    if found:
        cells = count(len({item.series_key for item in found}), "cell")
        click.echo(
            f"{cells} never healthy on any measured revision, which is no regression: `matrix regressions --all`"
        )
