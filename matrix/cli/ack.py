"""`matrix ack`: say that a regression is known, so that it does not fail a check for a while."""

import time
from dataclasses import asdict

import click
from rich.table import Table

from matrix.app.acks import acks_for, given_reason, until_moment
from matrix.app.attribute import regressions
from matrix.cli.moments import day
from matrix.cli.options import ROW_NUMBER, db_option, echo_json, json_option
from matrix.cli.tables import add_row, table_console
from matrix.core.ack import Ack, Scope
from matrix.core.errors import ConfigError
from matrix.store import Store, open_store


@click.command("ack")
@db_option
@json_option
@click.argument("named", nargs=-1, metavar="[FLIP|SERIES]...")
@click.option("--reason", metavar="TEXT", help="Why it may stand; shown wherever the regression is.")
@click.option("--scope", type=click.Choice([scope.value for scope in Scope]), help="FLIP: cell; SERIES: series.")
@click.option("--until", metavar="DATE|SPAN", help="2027-01-31 (to its end in UTC), 30d, 12h; without it for good.")
@click.option("--list", "show", is_flag=True, help="List acknowledgements.")
@click.option("--remove", type=ROW_NUMBER, multiple=True, metavar="ACK", help="End one; repeatable.")
def command(
    db: str,
    as_json: bool,
    named: tuple[str, ...],
    reason: str | None,
    scope: str | None,
    until: str | None,
    show: bool,
    remove: tuple[int, ...],
) -> None:
    """Acknowledge standing regressions, by flip number or series key as `matrix regressions` shows them.

    What is acknowledged stays listed and stops counting for exit code 1, until the date, or until its state gets worse.
    """
    _check(named, reason, show, remove)
    now = time.time()
    store = open_store(db, must_exist=True)
    try:
        for number in remove:
            store.acks.remove(number, now)
        if named:
            _add(store, named, str(reason), Scope(scope) if scope else None, until, now)
        _show(store.acks.all(), now, as_json)
    finally:
        store.close()


def _check(named: tuple[str, ...], reason: str | None, show: bool, remove: tuple[int, ...]) -> None:
    if not named and not show and not remove:
        raise ConfigError("nothing to acknowledge", hint="name a flip or a series of `matrix regressions`")
    if named:
        given_reason(reason or "")


def _add(store: Store, named: tuple[str, ...], reason: str, scope: Scope | None, until: str | None, now: float) -> None:
    """All or none: every name is looked up before the first acknowledgement is stored."""
    end = until_moment(until, now) if until else None
    for ack in acks_for(named, regressions(store, now=now), scope=scope, reason=reason, until=end, now=now):
        store.acks.add(ack)


def _show(acks: list[Ack], now: float, as_json: bool) -> None:
    if as_json:
        for ack in acks:
            echo_json(asdict(ack) | {"holds": ack.holds(now)})
        return
    table = Table(box=None, pad_edge=False)
    for column in ("ack", "scope", "series", "metric", "since", "state", "holds", "reason"):
        table.add_column(column, overflow="fold")
    for ack in acks:
        names = [str(ack.ack_id), ack.scope, ack.series_key, ack.metric or "all", ack.to_revision or "any", ack.state]
        add_row(table, *names, _holds(ack, now), ack.reason)
    table_console().print(table)


def _holds(ack: Ack, now: float) -> str:
    if ack.removed_at is not None:
        return "removed"
    return day(ack.until) if ack.holds(now) else "expired"
