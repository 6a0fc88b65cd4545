"""From a request to a bisection that can run: bounds resolved, points listed, cost told, or an open one taken up."""

from dataclasses import dataclass, replace
from math import ceil, log2

from matrix.app.bisect.bounds import Bound, Bounds
from matrix.app.bisect.levels import commits, level_of, nightlies, older_releases, releases
from matrix.app.bisect.points import Line, Point, in_a_row
from matrix.app.bisect.request import Level, Regress, Request
from matrix.app.bisect.subject import Subject
from matrix.bisect.history import GOOD_END
from matrix.core.errors import ConfigError
from matrix.core.ports import Executor
from matrix.core.revision import Revision
from matrix.engines.registry import adapter_for
from matrix.plan.estimate import FIRST_BUILD_GIB, NEXT_BUILD_GIB, Past, estimate
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class Prepared:
    """What will be searched. `good` is None where the good end is still to be found by walking back."""

    subject: Subject
    bounds: Bounds
    good: Bound | None
    bad: Bound
    level: Level
    line: Line | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Points, the runs and seconds they will take, GiB of disk, and how many points are built already."""

    points: int
    runs: int
    seconds: float
    disk_gib: float
    cached: int


def prepare(request: Request, subject: Subject, store: Store) -> Prepared:
    """Resolve the bounds, list the points of the coarsest level. ConfigError for bounds that make no range."""
    bounds = Bounds(subject, store)
    bad = bounds.resolve(request.bad)
    good = bounds.resolve(request.good, bad.revision) if request.good is not None else None
    level = level_of(good.revision if good else None, bad.revision)
    if level is Level.NIGHTLY and subject.clone and request.level is not Level.NIGHTLY:
        # Nightlies are commits of the main branch; a clone finds all that lie between.
        level = Level.COMMIT
    line = None if good is None else line_at(level, request, bounds, subject, good.revision, bad.revision)
    return Prepared(subject, bounds, good, bad, level, line)


def line_at(level: Level, request: Request, bounds: Bounds, subject: Subject, good: Revision, bad: Revision) -> Line:
    """The points between two revisions, the older one first whatever is sought."""
    older, newer = (bad, good) if request.regress is Regress.FIXED else (good, bad)
    if level is Level.RELEASE:
        return releases(bounds, older, newer)
    if level is Level.NIGHTLY:
        return nightlies(bounds, older, newer)
    return commits(bounds, subject, older, newer)


def back_line(prepared: Prepared, steps: int) -> Line | None:
    """A line from the release `steps` before the bad end, or from the oldest one; None where there is none before."""
    older = older_releases(prepared.bounds, prepared.bad.revision)
    if not older:
        return None
    start = older[min(steps, len(older)) - 1]
    inside = list(reversed(older[: min(steps, len(older)) - 1]))
    bad = prepared.bad.revision
    return in_a_row(start, [*inside, Point(bad.version, bad.version, bad.kind, bad.commit)])


def reached_back(prepared: Prepared, steps: int) -> bool:
    """True when there is no older release than the one `steps` before the bad end."""
    return steps >= len(older_releases(prepared.bounds, prepared.bad.revision))


def forecast(subject: Subject, line: Line, executor: Executor, store: Store) -> Forecast:
    """What the search will cost: both ends, log2 of the points, and the culprit with its parent once more."""
    past = store.read.past()
    costs = seconds_of(subject, line, executor, past)
    built = [_built(subject, line, i, executor) for i in range(GOOD_END, len(line.points))]
    runs = expected_runs(len(line.points))
    mean = sum(costs) / len(costs)
    missing = max(min(runs - 2, len(built) - sum(built)), 0)
    disk = missing * NEXT_BUILD_GIB + (FIRST_BUILD_GIB - NEXT_BUILD_GIB if missing and not any(built) else 0)
    return Forecast(len(line.points), runs, mean * runs, disk, sum(built))


def expected_runs(points: int) -> int:
    """Both ends, log2 of the points, and the culprit with its parent once more."""
    return min(2 + ceil(log2(points)) + 2, 2 * points + 2)


def seconds_of(subject: Subject, line: Line, executor: Executor, past: Past) -> tuple[float, ...]:
    """Expected seconds of one run at each point: minutes where it must be built, less where it is there."""
    return tuple(_seconds(subject, line, i, executor, past) for i in range(len(line.points)))


def _seconds(subject: Subject, line: Line, point: int, executor: Executor, past: Past) -> float:
    _, cell = subject.at(line, point)
    there = _built(subject, line, point, executor)
    return estimate([cell], {"recipe": there, "other": True}, past).seconds


def _built(subject: Subject, line: Line, point: int, executor: Executor) -> bool:
    _, cell = subject.at(line, point)
    return executor.built(adapter_for(subject.engine).recipe(cell))


def finer(request: Request, subject: Subject, level: Level) -> Level | None:
    """The level to look into next, None where the answer is as fine as asked, or as the config allows."""
    if level is Level.COMMIT or request.level in (Level.RELEASE, level):
        return None
    if request.level is Level.NIGHTLY:
        return Level.NIGHTLY
    if not subject.clone:
        if request.level is not None:
            raise ConfigError("commits are found in the engine's repository", hint="give --clone, or `clone`")
        return None
    return Level.COMMIT


def request_within(request: Request, good: str, bad: str) -> Request:
    """The same request between two neighbouring points of the coarser level."""
    swap = request.regress is Regress.FIXED
    return replace(request, good=bad if swap else good, bad=good if swap else bad)
