"""`matrix status`: the running or last sweep, bisections that have not ended, nights, workers and what they hold."""

from dataclasses import asdict

import click
from rich.table import Table

from matrix.app.at_work import at_work, seen
from matrix.app.bisect.show import items
from matrix.app.bisect.views import INTERRUPTED, BisectionItem
from matrix.app.room import look
from matrix.cli.clean import budget_of
from matrix.cli.options import ROW_NUMBER, config_option, db_option, echo_json, json_option
from matrix.cli.progress import clock
from matrix.cli.room_text import body
from matrix.cli.room_text import lines as room_lines
from matrix.cli.status_text import lines
from matrix.cli.tables import add_row, plain, table_console
from matrix.core.errors import NotFoundError
from matrix.stats.words import count
from matrix.store import Store, open_store
from matrix.store.bisections import OPEN
from matrix.store.views import SweepView


@click.command("status")
@db_option
@json_option
@click.option("--sweep", type=ROW_NUMBER, help="A sweep's number; the newest without it.")
@click.option("--disk", is_flag=True, help="Instead: what takes room, what would give way, what is kept and why.")
@config_option
def command(db: str, as_json: bool, sweep: int | None, disk: bool, config: str) -> None:
    """Show how far a sweep is, open bisections, the last night, who works, GPUs in use, and messages that wait."""
    store = open_store(db, must_exist=True)
    if disk:
        _disk(store, config, db, as_json)
        return
    try:
        view = store.read.sweep(sweep) if sweep is not None else store.read.latest_sweep()
        bisections = items(store, OPEN)
        around = at_work(store)
        view = seen(view, store.service.claims()) if view is not None else None
    finally:
        store.close()
    if view is None and not bisections and not around.ticks:
        raise NotFoundError("no sweep was started yet", hint="`matrix sweep` starts one")
    if as_json:
        parts = {"bisections": [asdict(b) for b in bisections], "service": asdict(around)}
        echo_json((asdict(view) if view else {}) | parts)
        return
    for line in lines(around):
        click.echo(plain(line))
    for item in bisections:
        click.echo(plain(open_bisection(item)))
    if view is not None:
        _sweep(view)


def _disk(store: Store, config: str, db: str, as_json: bool) -> None:
    try:
        budget = budget_of(config, db)
        room = look(store, budget)
    finally:
        store.close()
    if as_json:
        echo_json(body(room, budget))
        return
    for line in room_lines(room, budget, "would go"):
        click.echo(plain(line))


def open_bisection(item: BisectionItem) -> str:
    """One line; of an interrupted one with the command that goes on with it."""
    name = f"bisection {item.bisection}: {item.engine} {item.question}, after {item.good} and up to {item.bad}"
    if item.status == INTERRUPTED:
        return f"{name}: interrupted, go on with: {item.resume}"
    return f"{name}: {item.status}, see `matrix bisect show {item.bisection}`"


def _sweep(view: SweepView) -> None:
    eta = f", about {clock(view.eta_s)} left" if view.eta_s else ""
    click.echo(f"sweep {view.sweep_id}: {view.status}, {view.done} of {count(view.total, 'cell')} done{eta}")
    table = Table(box=None, pad_edge=False)
    for column in ("cell", "status", "phase", "outcome", "reason"):
        table.add_column(column, overflow="fold")
    for job in view.jobs:
        phase = f"{job.phase or ''} {job.phase_detail}".strip()
        add_row(table, job.label, job.status, phase, job.outcome or "", job.reason)
    table_console().print(table)
