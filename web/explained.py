"""Regressions as pages show them: one block for each cause, its cells with their figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from matrix.app.bisect.views import BisectionItem
from matrix.app.figures import figures
from matrix.app.regression import Regression, Status
from web.flips import ShownFlip, shown_flips
from web.reader import Reader


@dataclass(frozen=True, slots=True)
class ShownRegression:
    """A regression beside the flip that it is; `figures` are (name, value) pairs, `bisections` lie around it."""

    item: Regression
    shown: ShownFlip
    figures: list[tuple[str, str]]
    bisections: list[BisectionItem]

    @property
    def tone(self) -> str:
        """`bad` while it counts, `good` when it was fixed, else empty."""
        if self.item.status == Status.FIXED:
            return "good"
        return "" if self.item.ack else "bad"


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """All regressions of one cause; what the first one's cause is, is that of all."""

    number: int
    cells: list[ShownRegression]

    @property
    def first(self) -> Regression:
        return self.cells[0].item


def shown_regressions(items: Sequence[Regression], store: Reader) -> list[ShownRegression]:
    around = store.covering(items)
    return [
        ShownRegression(item, shown, figures(item), around.get(item.flip_id, []))
        for item, shown in zip(items, shown_flips(items), strict=True)
    ]


def shown_groups(items: Sequence[Regression], store: Reader) -> list[ShownGroup]:
    """Groups in the order in which their first regression comes."""
    groups: dict[int, list[ShownRegression]] = {}
    for shown in shown_regressions(items, store):
        groups.setdefault(shown.item.group, []).append(shown)
    return [ShownGroup(number, cells) for number, cells in groups.items()]
