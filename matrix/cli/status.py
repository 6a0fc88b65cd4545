"""`matrix status`: the running or last sweep."""

import click
from rich.table import Table

from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.progress import clock
from matrix.cli.tables import add_row, table_console
from matrix.core.errors import NotFoundError
from matrix.store import open_store


@click.command("status")
@db_option
@json_option
@click.option("--sweep", type=int, help="A sweep's number; the newest without it.")
def command(db: str, as_json: bool, sweep: int | None) -> None:
    """Show how far a sweep is."""
    store = open_store(db, must_exist=True)
    try:
        view = store.read.sweep(sweep) if sweep is not None else store.read.latest_sweep()
    finally:
        store.close()
    if view is None:
        raise NotFoundError("no sweep was started yet", hint="`matrix sweep` starts one")
    if as_json:
        echo_json(view)
        return
    eta = f", about {clock(view.eta_s)} left" if view.eta_s else ""
    click.echo(f"sweep {view.sweep_id}: {view.status}, {view.done} of {view.total} cells done{eta}")
    table = Table(box=None, pad_edge=False)
    for column in ("cell", "status", "phase", "outcome", "reason"):
        table.add_column(column, overflow="fold")
    for job in view.jobs:
        phase = f"{job.phase or ''} {job.phase_detail}".strip()
        add_row(table, job.label, job.status, phase, job.outcome or "", job.reason)
    table_console().print(table)
