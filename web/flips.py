"""Flips as a page shows them: the change, one sentence, and the command that looks for the culprit."""

from collections.abc import Iterable
from dataclasses import dataclass

from matrix.store.views import FlipView
from web.commands import bisect_flip


@dataclass(frozen=True, slots=True)
class ShownFlip:
    """`bisect` is None when there is nothing to look for (the flip is no failure)."""

    flip: FlipView
    bisect: str | None


def shown_flips(flips: Iterable[FlipView]) -> list[ShownFlip]:
    return [ShownFlip(flip=flip, bisect=bisect_flip(flip)) for flip in flips]
