"""What the judge remembers of a revision, as JSON data and back; digests that tell when it no longer holds."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

from matrix.core.state import Metric, State, Verdict
from matrix.stats.boots import Revision
from matrix.stats.floors import Floors
from matrix.stats.judge import References
from matrix.stats.noise import NoiseFloor
from matrix.stats.reference import Reference, reference_of
from matrix.stats.settings import JudgeSettings
from matrix.stats.trace import Row, Trace
from matrix.store import Read

_RULES = ("matrix.stats", "matrix.core")
_READERS = ("points.py", "remembering.py")


@cache
def rules() -> str:
    """A digest of the code that decides what is concluded: a memory that other code made is none."""
    parts = [path for package in _RULES for path in sorted(files(package).iterdir(), key=lambda p: p.name)]
    parts += [files("matrix.app").joinpath(name) for name in _READERS]
    whole = hashlib.sha256()
    for part in parts:
        if part.name.endswith(".py"):
            whole.update(part.read_bytes())
    return whole.hexdigest()


def digest(*parts: object) -> str:
    """32 hex digits that stand for these values."""
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:32]


def ground_of(settings: JudgeSettings) -> str:
    """What everything that is concluded under these settings rests on, beside the runs."""
    values = [sorted(v) if isinstance(v, frozenset) else v for v in astuple(settings)]
    return digest(rules(), values)


def inputs_of(reads: Sequence[Read], ground: str) -> str:
    """What the trace of one revision rests on: its runs, the baselines beside them, and `ground_of` the settings."""
    return digest(ground, [(read.boot, read.run_id, read.baseline) for read in reads])


def first_link(floors: Floors) -> str:
    """The beginning of a chain: what the verdicts of all revisions rest on."""
    return digest(sorted((metric.value, astuple(floor)) for metric, floor in floors.items()))


def trace_to_json(trace: Trace) -> list[Any]:
    """Boots, noise by metric where any was measured, the row, the lift."""
    noise = {metric.value: astuple(floor) for metric, floor in trace.noise.items() if floor.df > 0}
    return [trace.boots, noise, astuple(trace.row) if trace.row else None, trace.lift]


def trace_from_json(revision: str, body: Sequence[Any]) -> Trace:
    """What `trace_to_json` was given."""
    boots, noise, row, lift = body
    floors = {m: NoiseFloor(*noise.get(m.value, ())) for m in (Metric.ACCEPT_LENGTH, Metric.SPEED)}
    if row is None:
        return Trace(revision, boots, floors, None, lift)
    visible, k, prompts, extra, steps = row
    return Trace(revision, boots, floors, Row(visible, k, tuple(prompts), tuple(extra), tuple(steps)), lift)


def references_to_json(references: References, place: Mapping[str, int]) -> str:
    """JSON text: by metric the places of the reference's revisions in the series, and `fell`."""
    left = {
        metric.value: [[place[revision.point.revision] for revision in kept.revisions], kept.fell]
        for metric, kept in references.items()
        if kept is not None
    }
    return json.dumps(left)


def references_from_json(
    text: str, revisions: Callable[[Sequence[int]], Sequence[Revision]]
) -> dict[Metric, Reference | None]:
    """What `references_to_json` was given; `revisions` finds those at some places of the series."""
    left = json.loads(text)
    places = sorted({place for of, _ in left.values() for place in of})
    found = dict(zip(places, revisions(places), strict=True))
    return {Metric(metric): reference_of([found[i] for i in of], fell) for metric, (of, fell) in left.items()}


def alone_to_json(alone: Sequence[Verdict], final: Sequence[Verdict]) -> list[Any] | None:
    """The verdicts of a revision by itself that do not follow from the final ones; None where all do."""
    apart = [one for one, seen in zip(alone, final, strict=True) if _without_q(one) != _without_q(seen)]
    return [
        [v.metric.value, v.state.value, v.reason, [[*pair] for pair in _without_q(v).numbers]] for v in apart
    ] or None


def alone_from_json(body: Sequence[Any] | None, final: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """What `alone_to_json` was given; verdicts that follow from the final ones are those, with their q-values."""
    if not body:
        return final
    apart = {metric: _verdict(metric, *rest) for metric, *rest in body}
    return tuple(apart.get(verdict.metric.value, verdict) for verdict in final)


def storable(verdicts: Sequence[Verdict]) -> bool:
    """False where a number is none that a database holds, so that what is read back would be another verdict."""
    values = (value for verdict in verdicts for _, value in verdict.numbers)
    return all(not isinstance(value, float) or isfinite(value) for value in values)


def _without_q(verdict: Verdict) -> Verdict:
    names = [name for name, _ in verdict.numbers]
    if "q" not in names:
        return verdict
    return Verdict(
        verdict.metric,
        verdict.state,
        verdict.reason,
        tuple((name, None if name == "q" else value) for name, value in verdict.numbers),
    )


def _verdict(metric: str, state: str, reason: str, numbers: Sequence[Any]) -> Verdict:
    return Verdict(Metric(metric), State(state), reason, tuple((name, value) for name, value in numbers))
