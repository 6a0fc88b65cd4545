"""`matrix judge`: judge again what is stored."""

import click

from matrix.app.judging import judge_all
from matrix.cli.options import db_option, echo_json, json_option
from matrix.store import open_store


@click.command("judge")
@db_option
@json_option
def command(db: str, as_json: bool) -> None:
    """Judge all series again from stored counters; measures nothing."""
    store = open_store(db, must_exist=True)
    try:
        series = judge_all(store)
        standing = len(store.read.regressions())
    finally:
        store.close()
    if as_json:
        echo_json({"series": series, "standing": standing})
    else:
        click.echo(f"{series} series judged, {standing} regressions stand")
