"""A comparison as text: a table a metric, what came and went, and what else differs."""

from collections.abc import Iterator

from rich.table import Table

from matrix.app.compared import CellView, Compared, MetricView
from matrix.cli.plain import plain
from matrix.cli.tables import add_row
from matrix.core.state import Metric
from matrix.stats.words import count, percent, span

_TITLES = {
    Metric.ACCEPT_LENGTH: "accept length",
    Metric.SPEED: "output tokens per second",
    Metric.OUTPUT: "output against the baseline",
}
_MOST = 12


def tables(found: Compared, everything: bool) -> Iterator[tuple[str, Table]]:
    """(title, table) of each metric that has rows to show; only what changed unless `everything`."""
    for metric, title in _TITLES.items():
        rows = [(c, m) for c in found.cells for m in c.metrics if m.metric == metric and (everything or _told(m))]
        if rows:
            yield title, _table(found, rows)


def lines(found: Compared, everything: bool) -> Iterator[str]:
    """What the tables leave out: cells of one side alone, unchanged rows, differences between the runs."""
    if found.common:
        yield f"all: {plain(', '.join(f'{name} {value}' for name, value in found.common.items()))}"
    name_of = found.namer()
    for cell in found.cells:
        if cell.before is None or cell.after is None:
            yield f"{cell.word}: {plain(name_of(cell))}"
    quiet = sum(not _told(m) for cell in found.cells for m in cell.metrics)
    if quiet and not everything:
        yield f"{count(quiet, 'row')} without a clear change; --all shows them"
    for title, shared in (("what else differs", found.differences), ("packages that differ", found.packages)):
        if shared:
            yield f"{title}:"
            yield from (
                f"  {plain(item.text)} ({item.cells} of {count(found.pairs, 'cell')})" for item in shared[:_MOST]
            )
        if len(shared) > _MOST:
            yield f"  and {len(shared) - _MOST} more in --json"


def _told(row: MetricView) -> bool:
    return bool(row.word) or row.clear


def _table(found: Compared, rows: list[tuple[CellView, MetricView]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("cell", overflow="fold")
    for column in (found.a, found.b, "change", "95 % interval", "x noise", "p", "q", "prompts"):
        table.add_column(plain(column), justify="right", no_wrap=True)
    table.add_column("state", overflow="fold")
    table.add_column("", overflow="fold")
    name_of = found.namer()
    for cell, row in rows:
        add_row(table, name_of(cell), *_figures(row), _states(row), row.word or row.why)
    return table


def _figures(row: MetricView) -> tuple[str, ...]:
    digits = 1 if row.metric == Metric.SPEED else 3
    values = ["-" if value is None else f"{value:.{digits}f}" for value in (row.before, row.after)]
    change = "-" if row.change is None else percent(row.change)
    interval = "-" if row.low is None or row.high is None else span(row.low, row.high)
    multiple = "-" if row.multiple is None else f"{row.multiple:.1f}"
    chances = ("-" if value is None else f"{value:.2g}" for value in (row.p, row.q))
    return (*values, change, interval, multiple, *chances, str(row.pairs))


def _states(row: MetricView) -> str:
    return row.state_after if row.state_before == row.state_after else f"{row.state_before} -> {row.state_after}"
