"""A comparison as its page shows it: one row for each metric of each cell."""

from dataclasses import dataclass
from urllib.parse import urlencode

from matrix.app.compared import CellView, Compared, MetricView, SideView
from matrix.core.state import Change, Metric
from matrix.plan.pairs import Side
from web import words

_INLINE = 20
"""Rows whose prompts are in the page itself; the others have them at their own address."""
_BAD = (Change.REGRESSION, Change.NEW_FAILURE, Change.STILL_FAILING)
_GOOD = (Change.FIXED, Change.NEW_PASS)


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """`name` tells the cell from the others, `address` is the comparison of this cell alone; `prompts` says whether
    its paired prompts are shown with it.
    """

    name: str
    address: str
    cell: CellView
    metric: MetricView
    prompts: bool

    @property
    def tone(self) -> str:
        """`bad`, `good`, or empty for a change of a figure that is neither."""
        return tone(self.metric.word)

    @property
    def digits(self) -> int:
        return 1 if self.metric.metric == Metric.SPEED else 3

    @property
    def title(self) -> str:
        return words.metric(self.metric.metric)


@dataclass(frozen=True, slots=True)
class AloneRow:
    """A cell of one side alone."""

    name: str
    word: str
    side: SideView


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """`changed` are told apart from what is the `same`, of which `more` are left out."""

    changed: list[ChangeRow]
    same: list[ChangeRow]
    more: int


def change_rows(found: Compared, most: int) -> ChangeRows:
    """The rows, the largest multiple of noise first; what has a word, but no multiple, comes before what has none.

    `most`: rows without a change that are wanted.
    """
    whole = [(cell, metric) for cell in found.cells for metric in cell.metrics]
    whole.sort(key=lambda row: (-(row[1].multiple or 0.0), not row[1].word))
    whole.sort(key=lambda row: not _told(row[1]))
    told, name_of = sum(_told(metric) for _, metric in whole), found.namer()
    rows = [
        ChangeRow(name_of(cell), _address(found, cell), cell, metric, number < _INLINE and bool(metric.prompts))
        for number, (cell, metric) in enumerate(whole[: told + most])
    ]
    return ChangeRows(rows[:told], rows[told:], len(whole) - len(rows))


def alone(found: Compared) -> list[AloneRow]:
    """Cells that appeared or disappeared."""
    name_of = found.namer()
    sides = ((cell, cell.before or cell.after) for cell in found.cells if cell.before is None or cell.after is None)
    return [AloneRow(name_of(cell), cell.word, side) for cell, side in sides if side is not None]


def _told(metric: MetricView) -> bool:
    return bool(metric.word) or metric.clear


def tone(word: str) -> str:
    """The colour of a word for a change."""
    return "bad" if word in _BAD else "good" if word in _GOOD else ""


def _address(found: Compared, cell: CellView) -> str:
    names = Side({name: value for name, value in cell.names.items() if value})
    return "/compare?" + urlencode({"a": found.a, "b": found.b, "where": str(names)})
