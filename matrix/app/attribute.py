"""Explains stored flips: reads both sides and their neighbours, asks whose fault, groups, and looks for acks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matrix.app.acks import acknowledged
from matrix.app.commands import REGRESS_BY_STATE, bisect_flip, bisect_packages, repeat, state_of
from matrix.app.expected import expected
from matrix.app.known import Known
from matrix.app.regression import FaultView, Regression, Status
from matrix.core.ack import Scope
from matrix.core.state import Change, Metric, State
from matrix.stats.fault import Fault, FaultKind, Side
from matrix.stats.groups import Member, groups
from matrix.store import Store
from matrix.store.views import FlipView


def regressions(
    store: Store,
    standing: bool | None = True,
    *,
    series_key: str | None = None,
    now: float | None = None,
) -> list[Regression]:
    """Flips for the worse, newest first, explained: those that stand, those that do not any more, or (None) all.

    `series_key` keeps to one series.
    """
    flips = store.read.regressions(None)
    wanted = [f for f in flips if standing in (None, f.standing) and series_key in (None, f.series_key)]
    return _in_groups(store, flips, wanted, now)


@dataclass(frozen=True, slots=True)
class Listed:
    """Some of the `total` regressions that fit, newest first."""

    items: list[Regression]
    total: int


def listed(
    store: Store,
    standing: bool | None,
    fits: Callable[[FlipView], bool],
    first: int,
    most: int,
    *,
    now: float | None = None,
) -> Listed:
    """Of the same regressions those that fit, from number `first` (0 is the newest) at most `most`; no more than these
    and their releases is explained.
    """
    flips = store.read.regressions(None)
    wanted = [f for f in flips if standing in (None, f.standing) and fits(f)]
    return Listed(_in_groups(store, flips, wanted[first : first + most], now), len(wanted))


def falls(
    store: Store,
    series_key: str,
    *,
    to_run: str | None = None,
    standing: bool = False,
    now: float | None = None,
) -> list[Regression]:
    """The flips for the worse of one series, newest first, explained: all, or those that `to_run` showed or that stand.

    No group is numbered, since that takes all flips of the same releases.
    """
    acks = store.acks.all()
    if any(ack.scope is Scope.GROUP and ack.removed_at is None for ack in acks):
        found = regressions(store, None, series_key=series_key, now=now)
        return [item for item in found if to_run in (None, item.to_run) and (item.standing or not standing)]
    every = store.read.falls(series_key)
    flips = [f for f in every if to_run in (None, f.to_run) and (f.standing or not standing)]
    if not flips:
        return []
    known = Known.read(store, flips)
    return acknowledged([_one(f, known) for f in flips], acks, time.time() if now is None else now)


def acknowledged_flips(store: Store, now: float | None = None) -> set[int]:
    """The numbers of the standing regressions that an acknowledgement covers; no others than may be are explained."""
    moment = time.time() if now is None else now
    acks = [ack for ack in store.acks.all() if ack.holds(moment)]
    keys, groups = {ack.series_key for ack in acks}, {ack.to_revision for ack in acks if ack.scope is Scope.GROUP}
    if groups:
        flips = store.read.regressions(None)
        wanted = [f for f in flips if f.standing and (f.series_key in keys or f.to_revision in groups)]
        found = _in_groups(store, flips, wanted, moment)
    else:
        found = [item for key in sorted(keys) for item in falls(store, key, standing=True, now=moment)]
    return {item.flip_id for item in found if item.ack}


def never_healthy(store: Store) -> list[Regression]:
    """New failures that last: bad at the first measured revision, and at the newest. Nothing fell, so none stands."""
    if all(f.change != Change.NEW_FAILURE for f in store.read.regressions(False)):
        return []
    found = regressions(store, False)
    return [item for item in found if item.change == Change.NEW_FAILURE and State(item.now).bad]


def counting(store: Store) -> list[Regression]:
    """Standing regressions that nobody has acknowledged: those that fail a check."""
    return [item for item in regressions(store) if item.counts]


def _in_groups(
    store: Store, flips: Sequence[FlipView], wanted: Sequence[FlipView], now: float | None
) -> list[Regression]:
    """`wanted` explained; a group is the same one whatever was asked for, so all `flips` of their releases are, too."""
    releases = {(f.engine, f.to_revision) for f in wanted}
    ids = {f.flip_id for f in wanted}
    explained = _explained(store, [f for f in flips if (f.engine, f.to_revision) in releases])
    known = acknowledged(explained, store.acks.all(), time.time() if now is None else now)
    return [item for item in known if item.flip_id in ids]


def _explained(store: Store, flips: Sequence[FlipView]) -> list[Regression]:
    known = Known.read(store, flips)
    found = [_one(f, known) for f in flips]
    numbers = groups([_member(item) for item in found])
    return [replace(item, group=numbers[item.flip_id]) for item in found]


def _one(flip: FlipView, known: Known) -> Regression:
    before, after = known.sides.get(flip.from_run or ""), known.sides.get(flip.to_run or "")
    course = _course(flip, known.histories.get((flip.series_key, flip.metric), []))
    numbers = known.numbers.get((flip.series_key, flip.to_run or "", flip.metric), {})
    judged_length = after is not None and flip.metric == Metric.ACCEPT_LENGTH
    found = known.witnesses.fault(flip, before, after)
    return Regression(
        **{name: getattr(flip, name) for name in FlipView.__dataclass_fields__},
        value_before=_value(flip, numbers.get("before"), before),
        value_after=_value(flip, numbers.get("after"), after),
        numbers=numbers,
        fault=_told(found),
        signature=after.signature if after else "",
        expectations=expected(known.published, after) if after is not None and judged_length else [],
        next=None if course["status"] is Status.FIXED else next_command(flip, found.kind),
        **course | {"status": course["status"].value},
    )


def _value(flip: FlipView, judged: Any, side: Side | None) -> float | None:
    """The figure the judge compared; where it compared none, that of the run itself."""
    if isinstance(judged, int | float):
        return float(judged)
    if side is None:
        return None
    return side.tok_s if flip.metric == Metric.SPEED else side.accept_length


def _told(found: Fault) -> FaultView:
    return FaultView(found.kind.value, found.text, list(found.evidence))


def next_command(flip: FlipView, kind: FaultKind) -> str | None:
    """The search that a flip asks for: of packages where they alone differ, else of revisions; else a repeat."""
    regress = REGRESS_BY_STATE.get(state_of(flip.after))
    if kind is FaultKind.LOCK and regress and flip.from_run and flip.to_run:
        return bisect_packages(flip.from_run, flip.to_run, regress)
    return bisect_flip(flip) or repeat(
        engine=flip.engine, revision=flip.to_revision, target=flip.target, spec=flip.spec, workload=flip.workload
    )


def _course(flip: FlipView, history: Sequence[tuple[str, State]]) -> dict[str, Any]:
    """What the series did after the flip, in words."""
    here = next((i for i, (revision, _) in enumerate(history) if revision == flip.to_revision), len(history))
    later = [(revision, state) for revision, state in history[here + 1 :] if state.known]
    fixed = next((revision for revision, state in later if state is State.HEALTHY), None)
    now = later[-1][1] if later else State(flip.after)
    status = Status.FIXED if fixed and not flip.standing else Status.STILL_FAILING if later else Status.NEW
    return {"status": status, "now": now.value, "fixed_in": fixed, "use": _use(flip.from_revision, fixed, later)}


def _use(last_good: str, fixed: str | None, later: Sequence[tuple[str, State]]) -> str:
    """Revisions that work: the last good one, and all from the repair on where nothing broke again."""
    lasting = fixed is not None and not any(state.bad for revision, state in _from(fixed, later))
    parts = [last_good] if last_good else []
    parts += [f">= {fixed}" if lasting else fixed] if fixed else []
    return " or ".join(parts)


def _from(revision: str, later: Sequence[tuple[str, State]]) -> Sequence[tuple[str, State]]:
    return later[[name for name, _ in later].index(revision) :]


def _member(item: Regression) -> Member:
    return Member(
        flip_id=item.flip_id,
        engine=item.engine,
        revision=item.to_revision,
        metric=Metric(item.metric),
        state=State(item.after),
        cause=FaultKind(item.fault.kind),
        signature=item.signature,
        target=item.target,
        draft=item.draft,
        method=item.method,
    )
