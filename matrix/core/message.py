"""What is told of one cause: a regression's cells that changed for the same reason, on one revision."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class MessageKind(StrEnum):
    """What people are told of; all else (still failing, appeared, an A/A flicker) is on the dashboard only."""

    NEW = "new"
    WORSENED = "worsened"
    FIXED = "fixed"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class CellNews:
    """One cell of the cause. `before` and `after` are states with their figures, `next` the command to run or empty."""

    flip: int
    cell: str
    before: str
    after: str
    reason: str
    next: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """`cause` is the group's number (the lowest flip number in it), `why` whose fault it is as far as known.

    `standing` counts the cause's cells that still fail.
    """

    kind: MessageKind
    cause: int
    engine: str
    revision: str
    title: str
    why: str
    cells: tuple[CellNews, ...]
    standing: int = 0

    @property
    def key(self) -> str:
        """Names the message for good: one cause is told of once as new, and once a revision as worsened or fixed."""
        place = "" if self.kind is MessageKind.NEW else f" at {self.engine} {self.revision}"
        return f"{self.kind} {self.cause}{place}"

    @property
    def commands(self) -> tuple[str, ...]:
        """What to run next, each once."""
        return tuple(dict.fromkeys(cell.next for cell in self.cells if cell.next))


def message_from(body: dict[str, Any]) -> Message:
    """The message whose `dataclasses.asdict` this is."""
    cells = tuple(CellNews(**cell) for cell in body["cells"])
    return Message(**body | {"kind": MessageKind(body["kind"]), "cells": cells})
