"""One cause, one regression: flips that fell together are told together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matrix.core.state import Metric, State
from matrix.stats.differences import FaultKind


@dataclass(frozen=True, slots=True)
class Member:
    """A flip with what tells its cause; `signature` is that of its failed run, empty where it served."""

    flip_id: int
    engine: str
    revision: str
    metric: Metric
    state: State
    cause: FaultKind
    signature: str = ""
    target: str = ""
    draft: str | None = None
    method: str = ""


def groups(members: Sequence[Member]) -> dict[int, int]:
    """The number of its group for each flip number: the lowest flip number in it, so that later joiners keep it.

    Flips are of one cause when engine, revision, metric, state, kind of cause and signature agree, and, where no
    signature ties them, when they are linked by a target, a draft or a method that they share.
    """
    found: dict[int, int] = {}
    buckets: dict[tuple[object, ...], list[Member]] = {}
    for member in members:
        buckets.setdefault(_bucket(member), []).append(member)
    for bucket in buckets.values():
        for part in [bucket] if bucket[0].signature else _linked(bucket):
            number = min(member.flip_id for member in part)
            found |= {member.flip_id: number for member in part}
    return found


def _bucket(member: Member) -> tuple[object, ...]:
    return member.engine, member.revision, member.metric, member.state, member.cause, member.signature


def _linked(members: Iterable[Member]) -> list[list[Member]]:
    parts: list[tuple[set[tuple[str, str]], list[Member]]] = []
    for member in members:
        links, own = _links(member), [member]
        apart = []
        for seen, part in parts:
            if seen & links:
                links, own = links | seen, [*part, *own]
            else:
                apart.append((seen, part))
        parts = [*apart, (links, own)]
    return [part for _, part in parts]


def _links(member: Member) -> set[tuple[str, str]]:
    named = {"target": member.target, "draft": member.draft, "method": member.method}
    return {(name, value) for name, value in named.items() if value}
