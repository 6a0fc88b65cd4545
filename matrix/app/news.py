"""What of a night's flips is told to people: one message a cause, on new, worsened and fixed."""

from collections.abc import Iterable, Mapping, Sequence

from matrix.app.attribute import regressions
from matrix.app.commands import state_of
from matrix.app.figures import NOT_MEASURED
from matrix.app.regression import Regression
from matrix.core.message import CellNews, Message, MessageKind
from matrix.core.state import Change, Metric
from matrix.stats.words import count
from matrix.store import Store
from matrix.store.flipviews import FIXES, REGRESSIONS
from matrix.store.texts import clip
from matrix.store.views import FlipView

MOST_OF_A_REASON = 600

Place = tuple[MessageKind, int, str]
"""Kind, cause and the revision at which it shows."""


def news(store: Store, flips: Sequence[FlipView]) -> list[Message]:
    """Messages about these flips, in the order of the causes; none for what nobody is told of.

    Acknowledged regressions are known, so neither their worsening nor they are news; their repair is.
    """
    kinds = {f.flip_id: kind for f in flips if (kind := _kind(f)) is not None}
    if not kinds:
        return []
    known = regressions(store, None)
    places: dict[Place, list[tuple[FlipView, Regression]]] = {}
    for flip in sorted(flips, key=lambda f: f.flip_id):
        kind, fall = kinds.get(flip.flip_id), _fall(flip, known)
        if kind is not None and fall is not None and (fall.ack is None or kind is MessageKind.FIXED):
            places.setdefault((kind, fall.group, flip.to_revision), []).append((flip, fall))
    standing = _standing(known)
    return [_message(place, members, standing.get(place[1], 0)) for place, members in sorted(places.items())]


def sample_message() -> Message:
    """What `matrix notify --test` sends."""
    cell = CellNews(0, "engine / target / draft / workload", "healthy (2.500)", "degraded (1.900)", "an example")
    return Message(MessageKind.TEST, 0, "", "", "specmatrix: a test, nothing happened", "", (cell,))


def _kind(flip: FlipView) -> MessageKind | None:
    if flip.change in REGRESSIONS:
        return MessageKind.NEW
    if flip.change == Change.STILL_FAILING and state_of(flip.after).worse_than(state_of(flip.before)):
        return MessageKind.WORSENED
    return MessageKind.FIXED if flip.change in FIXES else None


def _fall(flip: FlipView, known: Iterable[Regression]) -> Regression | None:
    """The flip itself, or the last fall of its series before it."""
    same = (flip.series_key, flip.metric)
    before = [item for item in known if (item.series_key, item.metric) == same and item.flip_id <= flip.flip_id]
    return max(before, key=lambda item: item.flip_id, default=None)


def _standing(known: Iterable[Regression]) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for item in known:
        if item.standing:
            found[item.group] = found.get(item.group, 0) + 1
    return found


def _message(place: Place, members: Sequence[tuple[FlipView, Regression]], standing: int) -> Message:
    kind, group, revision = place
    first, fall = members[0]
    return Message(
        kind=kind,
        cause=group,
        engine=first.engine,
        revision=revision,
        title=_title(kind, members, standing),
        why="" if kind is MessageKind.FIXED else fall.fault.text,
        cells=tuple(_cell(kind, flip, item) for flip, item in members),
        standing=standing,
    )


def _title(kind: MessageKind, members: Sequence[tuple[FlipView, Regression]], standing: int) -> str:
    flip, fall = members[0]
    place, cells = f"{flip.engine} {flip.to_revision}", count(len(members), "cell")
    what = f"{flip.metric} of {cells}"
    if kind is MessageKind.FIXED:
        left = f"; {count(standing, 'cell')} of this cause still fail" if standing else ""
        return f"{place}: {what} is healthy again, was {flip.before} since {fall.to_revision}{left}"
    if kind is MessageKind.WORSENED:
        return f"{place}: {what} got worse: {flip.after}, was {flip.before} since {fall.to_revision}"
    since = f"was {flip.before} in {flip.from_revision}" if flip.from_revision else "at its first revision"
    return f"{place}: {what} is {flip.after}, {since}"


def _cell(kind: MessageKind, flip: FlipView, fall: Regression) -> CellNews:
    reason = clip(flip.reason, MOST_OF_A_REASON)
    if kind is not MessageKind.NEW:
        return CellNews(flip.flip_id, flip.series, flip.before, flip.after, reason)
    before, after = (f"{s} ({_figure(fall, v)})" for s, v in _sides(fall))
    return CellNews(flip.flip_id, flip.series, before, after, reason, fall.next or "")


def _sides(fall: Regression) -> list[tuple[str, float | None]]:
    return [(fall.before, fall.value_before), (fall.after, fall.value_after)]


def _figure(fall: Regression, value: float | None) -> str:
    if value is None:
        return NOT_MEASURED
    return f"{value:.1f} tok/s" if fall.metric == Metric.SPEED else f"{value:.3f}"
