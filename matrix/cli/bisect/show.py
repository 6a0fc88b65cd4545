"""`matrix bisect show`: bisections, or one of them: its answers and its suspects so far."""

from dataclasses import asdict
from typing import Any

import click
from rich.table import Table

from matrix.app.bisect.report import short
from matrix.app.bisect.show import items, view
from matrix.app.bisect.standing import left
from matrix.app.bisect.views import INTERRUPTED, BisectionItem, BisectionView
from matrix.cli.options import ROW_NUMBER, db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.cli.tables import add_row, table_console
from matrix.core.errors import Exit
from matrix.store import open_store


@click.command("show")
@click.argument("number", type=ROW_NUMBER, required=False)
@db_option
@json_option
def show(number: int | None, db: str, as_json: bool) -> int:
    """List the bisections, or show bisection NUMBER: its answers, and who is suspected so far."""
    store = open_store(db, must_exist=True)
    try:
        if number is None:
            for listed in items(store):
                _listed(listed, as_json)
            return Exit.OK
        found = view(store, number)
    finally:
        store.close()
    if as_json:
        echo_json(_keys(found))
    else:
        _shown(found)
    return Exit.OK


def _listed(item: BisectionItem, as_json: bool) -> None:
    if as_json:
        echo_json(item)
        return
    answer = item.culprit or (f"in {' to '.join(short(n) for n in item.range)}" if item.confidence else "")
    asked = plain(f"{item.engine} {item.question} {item.level} ({short(item.good)}, {short(item.bad)}]")
    click.echo(f"{item.bisection:>4}  {item.status:<11}  {asked}  {plain(short(answer))}")


def _keys(found: BisectionView) -> dict[str, Any]:
    """As the API gives it, the short form's keys at the top."""
    whole: dict[str, Any] = asdict(found)
    item: dict[str, Any] = whole.pop("item")
    return item | whole


def _shown(found: BisectionView) -> None:
    item = found.item
    table = Table("answer", "point", "said", "why", title=f"bisection {item.bisection} ({item.status})")
    for answer in found.answers:
        known = ", known before" if answer.known else ""
        add_row(table, str(answer.answer), short(answer.point), answer.said, f"{answer.why} ({answer.phase}{known})")
    table_console().print(table)
    _suspected(found)
    if found.headline:
        click.echo(plain(found.headline))
    if item.status == INTERRUPTED:
        click.echo(plain(f"interrupted, go on with: {item.resume}"))


def _suspected(found: BisectionView) -> None:
    for suspect in found.suspects:
        bar = "#" * round(30 * suspect.probability)
        click.echo(f"{100 * suspect.probability:5.1f} %  {plain(short(suspect.name)):<14}  {bar}".rstrip())
    if found.next:
        click.echo(plain(f"next: {', '.join(short(name) for name in found.next)}; {left(found.runs_left)}"))
    elif found.reason:
        click.echo(plain(found.reason))
