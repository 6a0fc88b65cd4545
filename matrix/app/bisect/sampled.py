"""Answers of a command: each stored row is one run of it, and a point's answer is all runs of one asking together."""

from collections.abc import Iterable, Sequence

from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Request
from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END
from matrix.bisect.samples import Count, differ, log_ratio
from matrix.store.bisections import StoredAnswer, StoredBisection


def sampled(request: Request, line: Line, row: StoredBisection) -> tuple[Answer, ...]:
    """What the rows come to. An asking that was interrupted is left out until it is completed."""
    last = len(line.points) - 1
    good, bad = (count(row, line.point(end).name, request.samples) for end in (GOOD_END, last))
    found: list[Answer] = []
    for name in dict.fromkeys(a.point for a in row.answers):
        point = line.index(name)
        mine = [a for a in row.answers if a.point == name]
        found += [Answer(point, Said(a.said), a.ratio) for a in mine if a.by_hand]
        for asking in askings(mine, request.samples):
            said = _end(point, good, bad) if point in (GOOD_END, last) and request.samples > 1 else None
            found.append(_answer(point, asking, said, good, bad))
    return tuple(found)


def askings(rows: Sequence[StoredAnswer], samples: int) -> list[list[StoredAnswer]]:
    """Whole askings of one point: `samples` runs each, or fewer where the last of them was a skip."""
    found: list[list[StoredAnswer]] = [[]]
    for row in (r for r in rows if not r.by_hand):
        found[-1].append(row)
        if len(found[-1]) == samples or Said(row.said) is Said.SKIP:
            found.append([])
    return found[:-1]


def under_way(rows: Sequence[StoredAnswer], samples: int) -> int:
    """How many runs of an unfinished asking are stored."""
    own = [r for r in rows if not r.by_hand]
    return len(own) - sum(len(asking) for asking in askings(own, samples))


def count(row: StoredBisection, name: str, samples: int) -> Count:
    """Runs of whole askings at a point, and how many of them failed; skips say nothing."""
    whole = askings([a for a in row.answers if a.point == name], samples)
    return _count(a for asking in whole for a in asking)


def _count(rows: Iterable[StoredAnswer]) -> Count:
    said = [Said(r.said) for r in rows if Said(r.said) is not Said.SKIP]
    return Count(said.count(Said.BAD), len(said))


def _end(point: int, good: Count, bad: Count) -> Said:
    """An end is judged against the other; the good one alone is good unless every run of it failed."""
    if point == GOOD_END:
        return Said.BAD if good.runs and good.failed == good.runs else Said.GOOD
    return Said.BAD if differ(good, bad) else Said.GOOD


def _answer(point: int, asking: Sequence[StoredAnswer], said: Said | None, good: Count, bad: Count) -> Answer:
    found = _count(asking)
    if any(Said(r.said) is Said.SKIP for r in asking):
        return Answer(point, Said.SKIP)
    if said is not None:
        return Answer(point, said)
    if len(asking) == 1:
        return Answer(point, Said.BAD if found.failed else Said.GOOD)
    ratio = log_ratio(found, good, bad)
    return Answer(point, Said.BAD if ratio > 0 else Said.GOOD, ratio)
