"""Sets any two revisions, spec configs, drafts or machines side by side, from stored runs alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace

from matrix.app.beside import Known
from matrix.app.compared import CellView, Compared, MetricView, PromptView, Shared, SideView
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.state import Change, Metric, State
from matrix.plan.config import ENGINES
from matrix.plan.pairs import FIELDS, Pair, Side, check, name_of, pairs, side, varying
from matrix.stats.control import control
from matrix.stats.differences import FaultKind, differences, lock_differences, settings_differences
from matrix.stats.flips import change
from matrix.stats.settings import DEFAULTS
from matrix.stats.versus import Versus, versus
from matrix.store import Store
from matrix.store.cells import RunCell

MOST = 1000
"""Pairs of cells that one comparison may have."""

_FIGURES = (Metric.ACCEPT_LENGTH, Metric.SPEED)
_NOTHING = Versus()
_SAME = tuple(field.name for field in fields(Versus) if field.name != "prompts")
_TOLD_APART = (FaultKind.ENGINE, FaultKind.LOCK)


def compare(store: Store, a: str, b: str, where: str = "") -> Compared:
    """`a` and `b` are sides as `matrix.plan.pairs.side` reads them, `where` narrows both.

    Raises ConfigError for what cannot be asked, NotFoundError where neither side has a run.
    """
    both = side(where, "where")
    asked = side(a, "a"), side(b, "b")
    before, after = (one.and_(both) for one in asked)
    check(before, after)
    differing = varying(before, after)
    found = pairs(_cells(store, before), _cells(store, after), differing)
    _check(found, before, after)
    known = Known.read(store, found)
    cells = _controlled([_cell(pair, differing, known) for pair in found])
    cells.sort(key=lambda cell: (-cell.multiple, not cell.words, list(cell.names.values())))
    names = sorted(differing, key=FIELDS.index)
    told = _shared(cell.differences for cell in cells), _shared(cell.packages for cell in cells)
    return Compared(str(asked[0]), str(asked[1]), str(both), names, cells, *told)


def _cells(store: Store, wanted: Side) -> list[RunCell]:
    """The cells of a side; every question names an engine, which is what the index begins with."""
    exact = {field: value for field in FIELDS if (value := wanted.exact(field)) is not None and value}
    engines = [exact["engine"]] if "engine" in exact else ENGINES
    found = (cell for engine in engines for cell in store.compare.cells(exact | {"engine": engine}))
    return [cell for cell in found if wanted.fits(cell)]


def _check(found: Sequence[Pair[RunCell]], before: Side, after: Side) -> None:
    if not found:
        raise NotFoundError(f"no run fits `{before}` or `{after}`", hint="`matrix results` lists what was run")
    if len(found) > MOST:
        hint = "narrow both sides, for example with target=... or workload=..."
        raise ConfigError(f"{len(found)} pairs of cells, more than {MOST}", hint=hint)


def _cell(pair: Pair[RunCell], differing: frozenset[str], known: Known) -> CellView:
    one = pair.before or pair.after
    assert one is not None  # noqa: S101 - a pair has at least one side
    names = {field: name_of(one, field) for field in FIELDS if field not in differing}
    views = [_side(cell, differing) for cell in (pair.before, pair.after)]
    if pair.before is None or pair.after is None:
        word = Change.APPEARED if pair.before is None else Change.DISAPPEARED
        return CellView(names, views[0], views[1], word.value, [])
    return CellView(
        names=names,
        before=views[0],
        after=views[1],
        word="",
        metrics=_metrics(pair.before, pair.after, known),
        differences=_differences(pair.before, pair.after, known),
        packages=lock_differences(known.sides[pair.before.run_id], known.sides[pair.after.run_id]),
    )


def _side(cell: RunCell | None, differing: frozenset[str]) -> SideView | None:
    if cell is None:
        return None
    names = {field: name_of(cell, field) for field in FIELDS if field in differing}
    return SideView(names, cell.series_key, cell.run_id, cell.outcome)


def _metrics(before: RunCell, after: RunCell, known: Known) -> list[MetricView]:
    old, new = known.revisions[_place(before)], known.revisions[_place(after)]
    floors, settings = known.floors(before, after), known.settings(after)
    found = [_metric(metric, before, after, known) for metric in (*_FIGURES, Metric.OUTPUT)]
    figures = [versus(metric, old, new, floors, settings) for metric in _FIGURES]
    shown = [_with_figures(view, told) for view, told in zip(found, figures, strict=False)]
    return [view for view in (*shown, found[-1]) if view.word or view.before is not None or view.after is not None]


def _metric(metric: Metric, before: RunCell, after: RunCell, known: Known) -> MetricView:
    """The states of one metric and the word for their change, without figures."""
    old, new = known.state(before, metric), known.state(after, metric)
    word = _word(old, new, known.until(before, metric)) if before.revision != after.revision else ""
    nothing = {name: getattr(_NOTHING, name) for name in _SAME}
    return MetricView(metric.value, **nothing, q=None, state_before=old, state_after=new, word=word, clear=False)


def _word(old: State, new: State, history: Sequence[State]) -> str:
    """The fixed word for a change between two revisions, in the light of what came before the earlier one."""
    if old.bad and new.bad:
        return Change.STILL_FAILING.value
    if not new.known:
        return ""
    settled = [state for state in (*history, old) if state.bad or state is State.HEALTHY]
    bad = bool(settled) and settled[-1].bad
    found = change(old, new, ever_healthy=State.HEALTHY in settled, bad=bad)
    return found.value if found else ""


def _with_figures(view: MetricView, told: Versus) -> MetricView:
    prompts = [PromptView(pair.prompt, pair.before, pair.after, pair.change) for pair in told.prompts]
    return replace(view, **{name: getattr(told, name) for name in _SAME}, prompts=prompts)


def _differences(before: RunCell, after: RunCell, known: Known) -> list[str]:
    """What else the two runs recorded differently; packages and the engine's revision are told apart from it."""
    old, new = known.sides[before.run_id], known.sides[after.run_id]
    telling = [d.text for d in differences(old, new) if d.kind not in _TOLD_APART]
    same = ["both sides served the same artifact"] if old.artifact and old.artifact == new.artifact else []
    return list(dict.fromkeys([*telling, *settings_differences(old, new).values(), *same]))


def _controlled(cells: list[CellView]) -> list[CellView]:
    """With the q-values of each metric over all its rows, and what is clear by them."""
    for metric in _FIGURES:
        rows = [m for cell in cells for m in cell.metrics if m.metric == metric and m.p is not None]
        q = dict(zip(map(id, rows), control([m.p for m in rows if m.p is not None]), strict=True))
        relevant = DEFAULTS.relevant if metric is Metric.ACCEPT_LENGTH else DEFAULTS.relevant_speed
        cells = [replace(c, metrics=[_judged(m, q.get(id(m)), relevant) for m in c.metrics]) for c in cells]
    return cells


def _judged(view: MetricView, q: float | None, relevant: float) -> MetricView:
    if q is None or view.change is None:
        return view
    return replace(view, q=q, clear=q <= DEFAULTS.false_discovery and abs(view.change) >= relevant)


def _shared(lists: Iterable[Sequence[str]]) -> list[Shared]:
    counted = Counter(text for texts in lists for text in texts)
    return [Shared(text, cells) for text, cells in counted.most_common()]


def _place(cell: RunCell) -> tuple[str, str]:
    return cell.series_key, cell.revision
