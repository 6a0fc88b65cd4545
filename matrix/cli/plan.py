"""`matrix plan`: what a sweep would do, without doing anything."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from matrix.app.planning import Plan, Planned
from matrix.app.setup import prepare
from matrix.cli.options import echo_json, json_option, sweep_options, waiting
from matrix.cli.progress import clock
from matrix.cli.tables import add_row, table_console
from matrix.core.cell import Cell
from matrix.engines.registry import doubt
from matrix.plan.select import cell_name, fields, matches
from matrix.stats.words import count

REPEAT = "repeat (noise)"


@click.command("plan")
@sweep_options
@click.option("--force", is_flag=True, help="Count measured cells as to do.")
@json_option
def command(config: str, executor: str | None, db: str, select: tuple[str, ...], force: bool, as_json: bool) -> None:
    """List cells, exclusions with their reasons, what is measured already, and what the rest would cost.

    SELECT is a wildcard on engine/revision/target/spec/workload, or field=wildcard.
    """
    with prepare(Path(config), db, executor, select, force=force, create=False, say=waiting) as ready:
        if as_json:
            _json(ready.plan)
        else:
            _table(ready.plan, select)


def status(planned: Planned) -> str:
    """`measured`, `not-applicable` or `to-do`."""
    return "measured" if planned.known else "not-applicable" if planned.unsupported else "to-do"


def _json(plan: Plan) -> None:
    for p in plan.cells:
        _line(p.cell, status=status(p), run_id=p.known, reason=p.unsupported, link=None, content_key=p.content_key)
    for p in plan.repeats:
        _line(p.cell, status=REPEAT, run_id=None, reason=None, link=None, content_key=p.content_key)
    for e in plan.excluded:
        _line(e.cell, status="excluded", run_id=None, reason=e.reason, link=e.link, content_key=None)


def _line(cell: Cell, **more: str | None) -> None:
    names = fields(cell)
    echo_json({**names, "version": names["revision"], **more, "series_key": cell.series_key, "boot": cell.boot})


def remark(planned: Planned, select: Sequence[str]) -> str:
    """What stands beside a cell: the run that measured it, why it cannot run, and why it is here if nobody chose it."""
    said = f"run {planned.known}" if planned.known else planned.unsupported or ""
    added = "the baseline of what was selected" if not matches(planned.cell, select) else ""
    return "; ".join(text for text in (added, said) if text)


def _table(plan: Plan, select: Sequence[str] = ()) -> None:
    console = table_console()
    table = Table(box=None, pad_edge=False)
    for column in ("cell", "status", "note"):
        table.add_column(column, overflow="fold")
    for p in plan.cells:
        mark = " *" if doubt(p.cell.revision.engine, p.cell.revision.version) else ""
        add_row(table, cell_name(p.cell), status(p) + mark, remark(p, select))
    for p in plan.repeats:
        add_row(table, cell_name(p.cell), REPEAT, f"boot {p.cell.boot} of a cell above")
    for e in plan.excluded:
        add_row(table, cell_name(e.cell), "excluded", e.reason + (f" ({e.link})" if e.link else ""))
    console.print(table)
    for note in (*footnotes([p.cell for p in plan.cells]), *map(str, plan.images)):
        console.print(note, highlight=False)
    console.print(summary(plan), highlight=False)


def footnotes(cells: Sequence[Cell]) -> list[str]:
    """One line for each release whose rules were not read from it: what the mark `*` in the table stands for."""
    revisions = dict.fromkeys(cell.revision for cell in cells)
    return [f"* {text}" for r in revisions if (text := doubt(r.engine, r.version))]


def summary(plan: Plan) -> str:
    """One line: how many cells, and the cost of those still to do."""
    cost = plan.estimate
    known = sum(1 for p in plan.cells if p.known)
    parts = [f"{count(len(plan.cells), 'cell')} by {plan.executor}", f"{known} measured", f"{len(plan.todo)} to do"]
    if plan.repeats:
        parts.append(f"{len(plan.repeats)} to repeat for noise")
    if plan.excluded:
        parts.append(f"{len(plan.excluded)} excluded")
    basis = "from runs here" if cost.from_history else "from figures of another machine"
    if plan.todo or plan.repeats:
        builds = f" and {cost.disk_gib:.1f} GiB for {count(cost.builds, 'build')}" if cost.builds else ""
        parts.append(f"about {clock(cost.seconds)}{builds} ({basis})")
    return ", ".join(parts)
