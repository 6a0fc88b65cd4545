"""Reads stored bisections for those who show them."""

from collections import Counter
from collections.abc import Iterable, Sequence

from matrix.app.bisect.carry import command
from matrix.app.bisect.hunt import state_of
from matrix.app.bisect.markdown import headline, markdown
from matrix.app.bisect.points import Line, Point
from matrix.app.bisect.question import measure
from matrix.app.bisect.report import Report, top
from matrix.app.bisect.request import PACKAGE, VERSION, Regress, Request
from matrix.app.bisect.views import INTERRUPTED, RUNNING, AnswerView, BisectionItem, BisectionView, NowView, PointView
from matrix.bisect.gitlog import write_log
from matrix.bisect.history import GOOD_END
from matrix.bisect.search import Decision, Phase, State, culprit, decide
from matrix.bisect.standing import runs_left, span
from matrix.executors import owner
from matrix.store import Store
from matrix.store.bisections import OPEN, StoredAnswer, StoredBisection
from matrix.store.views import FlipView

_SEARCHED = (Phase.SEARCH, Phase.VERIFY, Phase.DONE, Phase.STOPPED)


def items(store: Store, status: str | None = None) -> list[BisectionItem]:
    """Bisections, the newest first; `status` is that of the row."""
    return [item(row) for row in store.bisections.all(status)]


def item(row: StoredBisection) -> BisectionItem:
    """One bisection in short."""
    request, report = Request.from_json(dict(row.request)), row.report or {}
    good, bad = _ends(row)
    return BisectionItem(
        bisection=row.bisection_id,
        parent=row.parent_id,
        engine=row.engine,
        level=row.level,
        question=row.question,
        status=status_of(row),
        good=good,
        bad=bad,
        target=request.target,
        draft=request.draft,
        method=request.method,
        command=" ".join(request.command),
        culprit=report.get("culprit"),
        range=list(report.get("range", [])),
        confidence=report.get("confidence"),
        resume=command(request),
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def status_of(row: StoredBisection) -> str:
    """The row's own word; an open one is running while its process lives."""
    if row.status != OPEN:
        return row.status
    return RUNNING if row.owner and owner.alive(row.owner) else INTERRUPTED


def view(store: Store, number: int | None = None) -> BisectionView:
    """All of one bisection, the newest by default. NotFoundError where there is none."""
    row = store.bisections.get(number)
    request, line = Request.from_json(dict(row.request)), Line.from_json(row.history)
    state = state_of(request, line, row)
    decision, chances = decide(state), culprit(state)
    searched = decision.phase in _SEARCHED
    first, last = span(chances)
    short = item(row)
    children = [other for other in items(store) if other.parent == row.bisection_id]
    report = Report.from_json(row.report) if row.report and "range" in row.report else None
    return BisectionView(
        item=short,
        phase=decision.phase.value,
        reason=decision.reason,
        notes=list(line.notes),
        points_total=len(line.points),
        points=_points(line, state, decision, searched, row.answers),
        answers=[_answer(a, request, row, store) for a in row.answers],
        suspects=top(line, state) if searched else [],
        likely=[line.points[first].name, line.points[last].name] if searched else [],
        runs_left=runs_left(state, chances),
        next=[line.point(p).name for p in decision.points],
        now=_now(store, [line.point(p) for p in decision.points], row) if short.status == RUNNING else None,
        asked_good=request.good,
        asked_bad=request.bad,
        signature=row.signature,
        children=children,
        within=item(store.bisections.get(row.parent_id)) if row.parent_id is not None else None,
        headline=headline(report) if report else "",
        markdown=markdown(report) if report else "",
        report=dict(row.report) if row.report else None,
    )


def log_text(store: Store, number: int | None) -> str:
    """The answers as `git bisect log` would print them. NotFoundError where there is no such bisection."""
    row = store.bisections.get(number)
    state = state_of(Request.from_json(dict(row.request)), Line.from_json(row.history), row)
    leading = decide(state).suspects
    return write_log(state.history, state.answers, leading.changes if leading else ())


def covering(store: Store, flips: Iterable[FlipView]) -> dict[int, list[BisectionItem]]:
    """By flip number, the bisections of that cell whose points lie around the flip; the newest first."""
    rows = [row for row in store.bisections.all() if row.parent_id is None and row.status != "walked-back"]
    return {flip.flip_id: [item(row) for row in rows if _covers(row, flip)] for flip in flips}


def asked_by(store: Store, run_id: str) -> list[BisectionItem]:
    """The bisections that took a run for an answer, the newest first."""
    return [item(store.bisections.get(number)) for number in store.bisections.asking(run_id)]


def _covers(row: StoredBisection, flip: FlipView) -> bool:
    asked = row.request
    cell = {"target": flip.target, "draft": flip.draft, "method": flip.method, "spec": flip.spec}
    same = all(asked.get(name) in (None, value) for name, value in cell.items())
    if (
        row.level in (PACKAGE, VERSION)
        or row.engine != flip.engine
        or not same
        or asked.get("workload") not in (None, flip.workload)
    ):
        return False
    versions = [point["version"] for point in (row.history["good"], *row.history["points"])]
    return flip.to_revision in versions[1:] and (not flip.from_revision or flip.from_revision in versions[:-1])


def _ends(row: StoredBisection) -> tuple[str, str]:
    """Versions of the good and the bad end (runs or files where packages are searched); the bad one is the older where
    a repair is sought.
    """
    if row.level == PACKAGE:
        return str(row.request["good"]), str(row.request["bad"])
    if row.level == VERSION:
        return str(row.history["good"]["name"]), str(row.history["points"][-1]["name"])
    older, newer = str(row.history["good"]["version"]), str(row.history["points"][-1]["version"])
    return (newer, older) if row.question == Regress.FIXED else (older, newer)


def _answer(answer: StoredAnswer, request: Request, row: StoredBisection, store: Store) -> AnswerView:
    run = store.runs.point(answer.run_id) if answer.run_id else None
    metric = Regress.SLOWER if request.regress is Regress.SLOWER else Regress.ACCEPT
    return AnswerView(
        answer=answer.answer_id,
        point=answer.point,
        said=answer.said,
        why=answer.why,
        phase=answer.phase,
        by_hand=answer.by_hand,
        run_id=answer.run_id,
        value=measure(metric, run) if run else None,
        known=bool(run and run.finished_at < row.created_at),
    )


def _points(
    line: Line, state: State, decision: Decision, searched: bool, answers: Sequence[StoredAnswer]
) -> list[PointView]:
    """Points worth a line, in the order of the history."""
    chances = culprit(state)
    said = Counter((a.point, a.said) for a in answers)
    likely = {s.name for s in top(line, state)} if searched else set()
    wanted = {a.point for a in answers} | likely | {line.good.name, line.points[-1].name}
    wanted |= {line.point(p).name for p in decision.points}
    return [
        _point(line, i, said, float(chances[i]) if searched and i != GOOD_END else None, i in decision.points)
        for i in range(GOOD_END, len(line.points))
        if line.point(i).name in wanted
    ]


def _point(
    line: Line, index: int, said: Counter[tuple[str, str]], probability: float | None, following: bool
) -> PointView:
    point = line.point(index)
    return PointView(
        name=point.name,
        version=point.version,
        date=point.date,
        subject=point.subject,
        end={GOOD_END: "good", len(line.points) - 1: "bad"}.get(index, ""),
        probability=probability,
        good=said[point.name, "good"],
        bad=said[point.name, "bad"],
        skip=said[point.name, "skip"],
        next=following,
    )


def _now(store: Store, following: Sequence[Point], row: StoredBisection) -> NowView | None:
    """The job of the running sweep that measures one of the points to be asked."""
    sweep = store.read.latest_sweep()
    versions = {point.version for point in following}
    for job in sweep.jobs if sweep and sweep.status == "running" else ():
        if job.status == "claimed" and job.engine == row.engine and job.revision in versions:
            return NowView(job.label, job.phase or "starting", job.phase_detail, job.started_at)
    return None
