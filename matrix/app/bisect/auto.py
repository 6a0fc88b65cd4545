"""Bisections that a sweep starts by itself: one for each cause of its new regressions, within a budget."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from matrix.app.attribute import regressions
from matrix.app.bisect.begin import Forecast
from matrix.app.bisect.carry import Tools, bisect
from matrix.app.bisect.hunt import Say
from matrix.app.bisect.markdown import headline
from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Level, Regress, Request
from matrix.app.bisect.show import covering
from matrix.app.bisect.views import INTERRUPTED
from matrix.app.commands import REGRESS_BY_STATE, state_of
from matrix.app.regression import Regression
from matrix.app.source import Source
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.ports import Executor, Progress
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class AutoTools:
    """What the sweep worked with."""

    source: Source
    executor: Executor
    store: Store
    progress: Progress
    say: Say
    note: Say


def bisect_flips(tools: AutoTools, fresh: Collection[int], clock: Callable[[], float] = time.monotonic) -> None:
    """Bisect one regression of each cause among the flips `fresh`; each is announced, and so is why one is left out.

    The budget is the config's; a bisection whose forecast exceeds what is left of it does not start. InfraError when
    the machine fails.
    """
    table, begun = tools.source.config.bisect, clock()
    for item in one_of_each(regressions(tools.store), fresh):
        left = 60 * table.budget_min - (clock() - begun)
        name = f"flip {item.flip_id} ({item.series}, {item.to_revision})"
        known = [b for b in covering(tools.store, [item])[item.flip_id] if b.status != INTERRUPTED]
        if known:
            tools.say(f"{name}: bisection {known[0].bisection} covers it already")
            continue
        tools.say(f"bisecting {name}, {left / 60:.0f} min of the budget left")
        _one(tools, request_of(item, tools.source, table.max_runs), left)


def one_of_each(found: Sequence[Regression], fresh: Collection[int]) -> list[Regression]:
    """The first regression of each cause, for new flips that stand, count, and have a good side to start from."""
    chosen: dict[int, Regression] = {}
    for item in found:
        if item.flip_id in fresh and item.counts and item.from_revision and state_of(item.after) in REGRESS_BY_STATE:
            chosen.setdefault(item.group, item)
    return list(chosen.values())


def request_of(item: Regression, source: Source, most_runs: int) -> Request:
    """The bisection between the two sides of a regression, by releases."""
    return Request(
        config=str(source.path),
        engine=item.engine,
        good=item.from_revision,
        bad=item.to_revision,
        regress=Regress(REGRESS_BY_STATE[state_of(item.after)]),
        target=item.target,
        draft=item.draft,
        method=item.method,
        spec=item.spec,
        workload=item.workload,
        level=Level.RELEASE,
        most_runs=most_runs,
    )


def _one(tools: AutoTools, request: Request, left_s: float) -> None:
    def affordable(found: Forecast, line: Line) -> bool:
        cost = f"{len(line.points)} points, about {found.runs} runs, {found.seconds / 60:.0f} min"
        tools.say(cost if found.seconds <= left_s else f"{cost}: more than the budget has left, so it is left out")
        return found.seconds <= left_s

    given = Tools(tools.source, tools.executor, tools.store, tools.progress, tools.say, affordable)
    try:
        report = bisect(request, replace(given, note=tools.note))
    except (ConfigError, NotFoundError) as error:
        tools.say(f"cannot be bisected: {error}")
        return
    if report is not None:
        tools.say(f"bisection {report.bisection}: {headline(report)}")
