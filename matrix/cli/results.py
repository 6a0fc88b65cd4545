"""`matrix results`: the runs."""

from dataclasses import replace

import click
from rich.table import Table

from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.result_details import details
from matrix.cli.tables import add_row, table_console
from matrix.store import Filters, open_store
from matrix.store.views import ResultRow


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
    """List runs; with --json one object a line."""
    store = open_store(db, must_exist=True)
    try:
        wanted = Filters(engine=engine, revision=revision, outcome=outcome, series_key=series)
        rows = store.read.results(replace(wanted, newest=limit is not None, limit=limit))
        if as_json:
            for row in rows:
                echo_json(row)
        else:
            found = list(rows)
            _table(found)
            for line in details(store, found) if verbose else ():
                click.echo(line)
    finally:
        store.close()


def _table(rows: list[ResultRow]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("run", "engine", "revision", "target", "spec", "workload", "outcome"):
        table.add_column(column, no_wrap=True)
    for column in ("accept length", "speed-up", "tok/s"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for row in rows:
        numbers = [_number(row.accept_length, 3), _number(row.speedup, 2), _number(row.output_tok_s, 1)]
        names = [row.run_id, row.engine, row.revision, row.target, row.spec or row.method, row.workload, row.outcome]
        add_row(table, *names, *numbers, row.reason)
    table_console().print(table)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
