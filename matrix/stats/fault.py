"""Whose fault a flip is: what differs between its two sides, and how the neighbours fare.

An engine is blamed only when its revision is all that differs; the file, the machine and what the engine was told or
chose to do are asked first, since many a fall is a changed default or an exchanged file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from matrix.core.state import Metric, State
from matrix.stats.differences import (
    Difference,
    FaultKind,
    differences,
    lock_differences,
    lock_words,
)
from matrix.stats.drift import drift_explains, drift_words
from matrix.stats.scope import elsewhere_words, other_launch, reach, verb, without_draft
from matrix.stats.settled import TELLING, settings_differences
from matrix.stats.sides import Neighbour, Side, engine_name

__all__ = ["Fault", "FaultKind", "Neighbour", "Side", "fault"]

_HOLDS = 0.05
"""A baseline whose speed moved by less than this share kept it: the smallest change of speed that matters."""


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is the most telling cause, `text` all causes in one sentence, `evidence` what supports or tempers them."""

    kind: FaultKind
    text: str
    evidence: tuple[str, ...] = ()


def fault(
    metric: Metric,
    state: State,
    before: Side | None,
    after: Side | None,
    beside: Sequence[Neighbour] = (),
    elsewhere: Sequence[Neighbour] = (),
) -> Fault:
    """The cause of a flip into `state`.

    `beside`: series of the same engine and revision, the flipped one included. `elsewhere`: the newest run of the same
    draft file on each other engine. Without a run before, only `elsewhere` can tell engine from draft.
    """
    if after is None:
        return Fault(FaultKind.UNKNOWN, "unknown: the run is not in the database")
    if before is None:
        return _first(after, state, beside, elsewhere)
    found = [d for d in differences(before, after) if not _comes_with_release(d, before, after)]
    causes = [d for d in found if d.kind is not FaultKind.ENGINE]
    evidence = _evidence(metric, before, after, beside)
    if not causes:
        return _engine_alone(found, before, after, state, beside, elsewhere, evidence)
    told = [part for part in (other_launch(after, beside), *elsewhere_words(elsewhere)) if part]
    return Fault(causes[0].kind, _sentence([*causes, *(d for d in found if d not in causes)]), (*told, *evidence))


def _comes_with_release(found: Difference, before: Side, after: Side) -> bool:
    return found.kind is FaultKind.LOCK and before.revision != after.revision


def _sentence(found: Sequence[Difference]) -> str:
    """Each kind is named once, before its first difference."""
    parts: list[str] = []
    for i, d in enumerate(found):
        again = i > 0 and found[i - 1].kind is d.kind
        parts.append(d.text if again or d.text.startswith(d.kind.value) else f"{d.kind}: {d.text}")
    return "; ".join(parts)


def _engine_alone(
    found: Sequence[Difference],
    before: Side,
    after: Side,
    state: State,
    beside: Sequence[Neighbour],
    elsewhere: Sequence[Neighbour],
    evidence: tuple[str, ...],
) -> Fault:
    if before.artifact is not None and before.artifact == after.artifact:
        return Fault(FaultKind.UNKNOWN, "unknown: both sides served the same artifact with the same settings", evidence)
    if not found:
        return Fault(FaultKind.UNKNOWN, "unknown: nothing that is recorded differs between the two runs", evidence)
    words = [part for part in (reach(after, state, beside), *elsewhere_words(elsewhere)) if part]
    rest = without_draft(after, beside)
    only = [f"{found[0].text} is all that differs"] if not words and not rest else []
    return Fault(FaultKind.ENGINE, f"engine: {'; '.join([*words, *([rest] if rest else []), *only])}", evidence)


def _first(after: Side, state: State, beside: Sequence[Neighbour], elsewhere: Sequence[Neighbour]) -> Fault:
    """Never healthy here: the same file elsewhere is the only witness."""
    words = elsewhere_words(elsewhere)
    rest = without_draft(after, beside)
    if rest:
        return Fault(FaultKind.ENGINE, f"engine: {rest} on {engine_name(after.engine)} {after.revision}", tuple(words))
    if any(n.state is State.HEALTHY for n in elsewhere):
        return Fault(FaultKind.ENGINE, f"engine: {'; '.join(words)}")
    if elsewhere and all(n.state.bad for n in elsewhere):
        return Fault(FaultKind.DRAFT, f"draft: no engine here accepts it; {'; '.join(words)}")
    return Fault(FaultKind.UNKNOWN, f"unknown: it {verb(state)} in the first run, so there is nothing to compare with")


def _evidence(metric: Metric, before: Side, after: Side, beside: Sequence[Neighbour]) -> tuple[str, ...]:
    packages = lock_differences(before, after)
    other = [words for name, words in settings_differences(before, after).items() if name not in TELLING]
    parts = (
        f"with the release came {lock_words(packages)}" if packages and before.revision != after.revision else "",
        f"settings that changed too: {', '.join(other)}" if other else "",
        _unsettled(before, after),
        "" if drift_explains(before, after) else drift_words(after),
        _baseline(metric, before, after),
    )
    return tuple(part for part in parts if part)


def _unsettled(before: Side, after: Side) -> str:
    silent = [side.revision for side in (before, after) if not side.resolved]
    return f"settings of {' and '.join(silent)} were not told, so they are not compared" if silent else ""


def _baseline(metric: Metric, before: Side, after: Side) -> str:
    old, new = before.baseline_tok_s, after.baseline_tok_s
    if old is None or new is None or not old:
        return ""
    speeds = f"{old:.1f} -> {new:.1f} tok/s"
    if new < old * (1 - _HOLDS):
        return f"the baseline slowed too, {speeds}"
    return f"the baseline kept its speed, {speeds}" if metric is Metric.SPEED else ""
