"""`matrix judge`: judge again what is stored."""

import click

from matrix.app.attribute import counting
from matrix.app.judging import judge_all
from matrix.app.whatif import Move, parse_settings, what_if
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.store import Store, open_store


@click.command("judge")
@db_option
@json_option
@click.option(
    "--what-if",
    "changed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Preview other thresholds (relevant=0.05, alpha=0.01) on stored history; stores nothing; repeatable.",
)
def command(db: str, as_json: bool, changed: tuple[str, ...]) -> None:
    """Judge all series again from stored counters; measures nothing."""
    settings = parse_settings(changed)
    store = open_store(db, must_exist=True)
    try:
        if settings:
            _preview(what_if(store, settings), as_json)
        else:
            _judge(store, as_json)
    finally:
        store.close()


def _judge(store: Store, as_json: bool) -> None:
    series = judge_all(store)
    standing, counted = len(store.read.regressions()), len(counting(store))
    if as_json:
        echo_json({"series": series, "standing": standing, "acknowledged": standing - counted})
        return
    known = f" ({standing - counted} acknowledged)" if standing > counted else ""
    click.echo(f"{series} series judged, {_regressions(standing)}{known}")


def _regressions(number: int) -> str:
    return "1 regression stands" if number == 1 else f"{number} regressions stand"


def _preview(moves: list[Move], as_json: bool) -> None:
    for move in moves:
        if as_json:
            echo_json(move.as_json())
            continue
        flip = move.flip
        what = f"{flip.metric} {flip.change}, {flip.before} -> {flip.after}"
        click.echo(f"would {move.move}: series {move.series_key}: {what}")
        click.echo(f"  {flip.before_revision} -> {flip.after_revision}: {plain(flip.reason)}")
    if not moves and not as_json:
        click.echo("no flip would come or go")
