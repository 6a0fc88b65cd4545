"""What gives way when artifacts take more disk than they may: the longest unused first, never what is held."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thing:
    """Something on disk that can be made or pulled again. `ref` names it among its `kind`.

    `size` is what its removal alone frees, in bytes, `used_at` its last use (Unix seconds), `holds` says why it must
    stay, in words; empty where nothing speaks for it.
    """

    kind: str
    ref: str
    size: int
    used_at: float
    holds: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Eviction:
    """What `goes`, longest unused first, and what `stays`, most recently used first. Bytes `before` and `after`.

    `over` is by how many bytes the budget is exceeded afterwards.
    """

    goes: tuple[Thing, ...]
    stays: tuple[Thing, ...]
    before: int
    after: int
    over: int

    @property
    def held(self) -> tuple[Thing, ...]:
        """What stays for a reason of its own, the largest first."""
        return tuple(sorted((t for t in self.stays if t.holds and t.size), key=lambda t: (-t.size, t.kind, t.ref)))


def evict(things: Sequence[Thing], shared: int, budget: int | None) -> Eviction:
    """Choose what goes so that `things` and the `shared` bytes, which no single removal frees, fit the budget.

    None is no limit. Nothing that is held goes, nothing that frees no byte, and no more than is needed in this order.
    Shared bytes become a thing's own once the others are gone: measure and ask again.
    """
    before = left = shared + sum(thing.size for thing in things)
    goes: list[Thing] = []
    for thing in sorted(things, key=lambda t: (t.used_at, -t.size, t.kind, t.ref)):
        if budget is None or left <= budget:
            break
        if thing.size > 0 and not thing.holds:
            goes.append(thing)
            left -= thing.size
    gone = {(t.kind, t.ref) for t in goes}
    stays = sorted((t for t in things if (t.kind, t.ref) not in gone), key=lambda t: (-t.used_at, t.kind, t.ref))
    over = 0 if budget is None else max(0, left - budget)
    return Eviction(tuple(goes), tuple(stays), before, left, over)
