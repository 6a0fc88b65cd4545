"""`matrix results`: the runs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

import click
from rich.table import Table

from matrix.app.spread import speedup_spread
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.result_details import details
from matrix.cli.tables import add_row, table_console
from matrix.core.errors import NotFoundError
from matrix.store import Filters, Store, open_store
from matrix.store.views import ResultRow

MOST = 12
"""Values that an error names."""

Spread = Mapping[str, tuple[float, float]]


@click.command("results")
@db_option
@json_option
@click.option("--engine", help="Only this engine.")
@click.option("--revision", help="Only this revision.")
@click.option("--outcome", help="Only this outcome.")
@click.option("--series", help="Only this series key.")
@click.option("--verbose", "-v", is_flag=True, help="Say why below the table, and what was published of the draft.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many, newest first.")
def command(
    db: str,
    as_json: bool,
    engine: str | None,
    revision: str | None,
    outcome: str | None,
    series: str | None,
    verbose: bool,
    limit: int | None,
) -> None:
    """List runs; with --json one object a line. Exit code 3 when there are runs, but none that was asked for.

    Beside a speed-up stands its spread: the least and the greatest of any prompt.
    """
    asked = {"engine": engine, "revision": revision, "outcome": outcome, "series_key": series}
    store = open_store(db, must_exist=True)
    try:
        wanted = replace(Filters(**asked), newest=limit is not None, limit=limit)  # type: ignore[arg-type]
        rows = _some(store, wanted, {name: value for name, value in asked.items() if value is not None})
        if as_json:
            for row in rows:
                echo_json(row)
        else:
            _show(store, list(rows), verbose)
    finally:
        store.close()


def _some(store: Store, wanted: Filters, asked: Mapping[str, str]) -> Iterator[ResultRow]:
    """The runs. Raises NotFoundError, naming what there is, where filters leave none."""
    rows = store.read.results(wanted)
    first = next(rows, None)
    if first is not None:
        return chain([first], rows)
    for name, value in asked.items():
        there = store.read.values(name)
        if there and value not in there:
            option = name.removesuffix("_key")
            raise NotFoundError(f"no run has --{option} {value}", hint=f"known: {_listed(there)}")
    if asked and next(store.read.results(Filters(limit=1)), None) is not None:
        raise NotFoundError("no run fits all of these filters together", hint="leave one of them out")
    return rows


def _listed(values: list[str]) -> str:
    more = f" and {len(values) - MOST} more" if len(values) > MOST else ""
    return ", ".join(values[-MOST:]) + more


def _show(store: Store, rows: list[ResultRow], verbose: bool) -> None:
    if not rows:
        click.echo("no run is stored yet; `matrix sweep` makes them")
        return
    spread: dict[str, tuple[float, float]] = {}
    for key in {row.series_key for row in rows if row.speedup is not None}:
        spread |= speedup_spread(store, key)
    _table(rows, spread)
    for line in details(store, rows) if verbose else ():
        click.echo(line)


def _table(rows: list[ResultRow], spread: Spread) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("run", "engine", "revision", "target", "spec", "workload", "outcome"):
        table.add_column(column, no_wrap=True)
    for column in ("accept length", "speed-up", "tok/s"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for row in rows:
        numbers = [_number(row.accept_length, 3), _speedup(row, spread), _number(row.output_tok_s, 1)]
        names = [row.run_id, row.engine, row.revision, row.target, row.spec or row.method, row.workload, row.outcome]
        add_row(table, *names, *numbers, row.reason)
    table_console().print(table)


def _speedup(row: ResultRow, spread: Spread) -> str:
    """`1.94 (1.80-2.10)`: the whole run's, and in brackets from the least to the greatest of any prompt."""
    apart = spread.get(row.run_id) if row.speedup is not None else None
    return _number(row.speedup, 2) + (f" ({apart[0]:.2f}-{apart[1]:.2f})" if apart else "")


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
