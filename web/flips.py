"""Flips as a page shows them: the change, one sentence, and the command that looks for the culprit."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from matrix.core.state import Change
from matrix.plan.pairs import Side
from matrix.store.views import FlipView
from web.commands import bisect_flip


@dataclass(frozen=True, slots=True)
class ShownFlip:
    """`bisect` is None when there is nothing to look for (the flip is no failure)."""

    flip: FlipView
    bisect: str | None

    @property
    def tone(self) -> str:
        """`bad`, `good`, or empty for a change that is neither and for a fall that is acknowledged."""
        if self.flip.acknowledged:
            return ""
        if self.flip.change in (Change.REGRESSION, Change.NEW_FAILURE, Change.STILL_FAILING):
            return "bad"
        return "good" if self.flip.change in (Change.FIXED, Change.NEW_PASS) else ""

    @property
    def compare(self) -> str | None:
        """The address that sets the cell's two revisions side by side; None for the first revision measured."""
        flip = self.flip
        if not flip.from_revision:
            return None
        names = {name: getattr(flip, name) for name in ("engine", "target", "spec", "workload")}
        where = Side({name: value for name, value in names.items() if value})
        return "/compare?" + urlencode({"a": flip.from_revision, "b": flip.to_revision, "where": str(where)})

    @property
    def end(self) -> str:
        """What became of a failure; empty where it stands or was none."""
        if self.flip.acknowledged:
            return "acknowledged"
        if self.flip.standing or self.tone != "bad":
            return ""
        return "fixed later" if self.flip.change == Change.REGRESSION else "never healthy before"


def shown_flips(flips: Iterable[FlipView]) -> list[ShownFlip]:
    return [ShownFlip(flip=flip, bisect=bisect_flip(flip)) for flip in flips]
