"""Cumulative counters read from a server's Prometheus text."""

import math
from collections import defaultdict
from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

from matrix.core.counters import Counters
from matrix.core.recipe import CounterMap

_Reading = tuple[dict[str, str], float]


def read_counters(text: str | None, names: CounterMap) -> Counters:
    """Counters since the server's start, summed over its engines; None where a name is absent or its value is no count.

    `requests` stays 0: a scrape tells of no particular request.
    """
    readings = _readings(text or "", names)
    return Counters(
        steps=_total(readings.get(names.steps)),
        proposed=_total(readings.get(names.proposed)),
        accepted=_total(readings.get(names.accepted)),
        per_position=_positions(readings.get(names.per_position)),
        decode_steps=_total(readings.get(names.decode_steps)),
        completion_tokens=_total(readings.get(names.completion_tokens)),
        requests=0,
    )


def _readings(text: str, names: CounterMap) -> dict[str, list[_Reading]]:
    """Samples of the wanted names; one malformed line costs that line only, read as not a number."""
    wanted = {names.steps, names.proposed, names.accepted, names.per_position}
    wanted |= {names.decode_steps, names.completion_tokens}
    found: dict[str, list[_Reading]] = defaultdict(list)
    for line in text.splitlines():
        name = line.partition("{")[0].split(" ")[0].strip()
        if name in wanted and name:
            found[name].extend(_parse(line))
    return found


def _parse(line: str) -> Iterator[_Reading]:
    try:
        for family in text_string_to_metric_families(line):
            for sample in family.samples:
                yield dict(sample.labels), float(sample.value)
    except (ValueError, IndexError, KeyError):
        yield {}, math.nan


def _total(rows: list[_Reading] | None) -> int | None:
    """Sum of whole, finite, non-negative values; None when there is none or one is not such."""
    if not rows or not all(math.isfinite(v) and v >= 0 and v == int(v) for _, v in rows):
        return None
    return sum(int(value) for _, value in rows)


def _positions(rows: list[_Reading] | None) -> tuple[int, ...] | None:
    """Counts at position 0, 1, ...; None when a position is missing or has no number."""
    by_position: dict[int, list[_Reading]] = defaultdict(list)
    for labels, value in rows or []:
        position = labels.get("position", "")
        if not position.isdecimal():
            return None
        by_position[int(position)].append((labels, value))
    counts = [_total(by_position.get(i)) for i in range(len(by_position))]
    known = [n for n in counts if n is not None]
    return tuple(known) if known and len(known) == len(counts) else None
