"""A bisection from request to report: prepare or take up, hunt, look further into the range that was found."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from matrix.app.bisect.abreast import abreast, gpus_each
from matrix.app.bisect.ahead import Ahead
from matrix.app.bisect.begin import (
    Forecast,
    Prepared,
    back_line,
    finer,
    forecast,
    line_at,
    prepare,
    reached_back,
    request_within,
    seconds_of,
)
from matrix.app.bisect.hunt import Hunt, Say, silent
from matrix.app.bisect.points import Line
from matrix.app.bisect.report import Report, make_report
from matrix.app.bisect.request import Level, Regress, Request
from matrix.app.bisect.subject import Subject, subject
from matrix.app.secret_env import kept_text
from matrix.app.source import Source
from matrix.bisect.search import Phase
from matrix.core.errors import ConfigError
from matrix.core.ports import Executor, Progress
from matrix.engines.registry import adapter_for
from matrix.executors import owner
from matrix.store import Store
from matrix.store.bisections import StoredBisection

Confirm = Callable[[Forecast, Line], bool]
"""Told what it will cost before the first run; False leaves everything as it is."""


Further = Callable[[Hunt, Report], Report]
"""Told the hunt at its end and what it came to; returns what is reported."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a bisection works with. `note` is told how the search stands after each answer."""

    source: Source
    executor: Executor
    store: Store
    progress: Progress
    say: Say
    confirm: Confirm
    note: Say = silent


def bisect(request: Request, tools: Tools) -> Report | None:
    """The report of the finest level that was searched; None when the user did not want to start.

    An open bisection that was asked for in the same words is taken up. Raises ConfigError for bounds that make no
    range, InfraError when the machine fails; what was answered is kept in either case.
    """
    whole = subject(tools.source, request, tools.executor, tools.store)
    known = tools.store.bisections.find(request.to_json())
    if known is not None:
        tools.say(f"taking up bisection {known.bisection_id}: {len(known.answers)} answers are kept")
        return _further(request, whole, search(request, whole, known.bisection_id, tools), tools, known)
    prepared = prepare(request, whole, tools.store)
    tools.say(str(prepared.bad))
    if prepared.good is not None:
        tools.say(str(prepared.good))
    line = prepared.line or _walk_back(request, prepared, tools)
    for note in line.notes:
        tools.say(note)
    if not tools.confirm(forecast(whole, line, tools.executor, tools.store), line):
        return None
    number = begin(request, prepared.level, whole, line, tools, None)
    row = tools.store.bisections.get(number)
    return _further(request, whole, search(request, whole, number, tools), tools, row)


def begin(request: Request, level: str, whole: Subject, line: Line, tools: Tools, parent: int | None) -> int:
    """Store an open bisection; its number."""
    return tools.store.bisections.begin(
        engine=whole.engine,
        level=str(level),
        question=request.regress.value,
        request=request.to_json(),
        config=kept_text(tools.source),
        history=line.to_json(),
        owner=owner.me(),
        parent_id=parent,
    )


def search(
    request: Request, whole: Subject, number: int, tools: Tools, further: Further = lambda hunt, report: report
) -> Report:
    """Hunt and report at one level; the row stays open when this is interrupted. `further` may add to the report."""
    store = tools.store
    store.bisections.take_over(number, owner.me())
    line = Line.from_json(store.bisections.get(number).history)
    costs = seconds_of(whole, line, tools.executor, store.read.past())
    hunt = Hunt(request, whole, line, number, store, tools.executor, tools.progress, tools.say, costs, tools.note)
    hunt.parallel = abreast(whole, line, request.parallel)
    hunt.ahead = _ahead(request, whole, line, tools)
    try:
        state, decision = hunt.go()
    finally:
        if hunt.ahead is not None:
            hunt.ahead.close()
    row = store.bisections.get(number)
    found = make_report(request, line, row, state, decision, store, engine_starts=hunt.runs, resume=command(request))
    report = further(hunt, found)
    store.bisections.finish(number, decision.phase.value, report.to_json())
    return report


def _ahead(request: Request, whole: Subject, line: Line, tools: Tools) -> Ahead | None:
    """None where builds would disturb what is measured, or were not wanted."""
    if not request.ahead or not gpus_each(whole, line):
        return None

    def build(point: int, log: Path) -> None:
        _, cell = whole.at(line, point)
        recipe = adapter_for(whole.engine).recipe(cell)
        if not tools.executor.built(recipe):
            tools.executor.build(recipe, log, lambda text: None)

    return Ahead(build, tools.store.state_dir / "ahead.log")


def _further(request: Request, whole: Subject, report: Report, tools: Tools, row: StoredBisection) -> Report:
    """The answer one level finer, where the config allows it and one was asked for or none was named."""
    level = finer(request, whole, Level(row.level))
    if level is None or report.status != Phase.DONE.value:
        return report
    line = Line.from_json(row.history)
    good, bad = (line.point(line.index(name)).revision(whole.engine) for name in report.range)
    prepared = prepare(request, whole, tools.store)
    ends = (bad, good) if request.regress is Regress.FIXED else (good, bad)
    tools.say(f"looking at the {_PLURAL[level]} between {report.range[0]} and {report.range[1]}")
    inner = line_at(level, request, prepared.bounds, whole, *ends)
    if level is Level.NIGHTLY and len(inner.points) == 1:
        tools.say("no package index lists a nightly between them; --clone searches the commits")
        return report
    within = request_within(request, *report.range)
    known = tools.store.bisections.find(within.to_json())
    if known is not None:
        return search(within, whole, known.bisection_id, tools)
    if not tools.confirm(forecast(whole, inner, tools.executor, tools.store), inner):
        return report
    return search(within, whole, begin(within, level, whole, inner, tools, row.bisection_id), tools)


_PLURAL = {Level.RELEASE: "releases", Level.NIGHTLY: "nightlies", Level.COMMIT: "commits"}


def _walk_back(request: Request, prepared: Prepared, tools: Tools) -> Line:
    """Twice as far back each time, until a release is good. Its runs count: they are found by their content keys."""
    if request.regress is Regress.FIXED:
        raise ConfigError("--good is missing", hint="name the revision that works again")
    steps = 1
    while (line := back_line(prepared, steps)) is not None:
        tools.say(f"walking back: is {line.good.name} good?")
        number = begin(replace(request, good=line.good.name), prepared.level, prepared.subject, line, tools, None)
        hunt = Hunt(request, prepared.subject, line, number, tools.store, tools.executor, tools.progress, tools.say)
        hunt.ask(-1, Phase.ENDS)
        refused = hunt.state().answers[-1].said
        tools.store.bisections.finish(number, "walked-back", {})
        if refused.value == "good":
            return line
        if reached_back(prepared, steps):
            break
        steps *= 2
    raise ConfigError(f"no release before {prepared.bad.revision.version} is good", hint="name one with --good")


def command(request: Request) -> str:
    """The command that takes this request up again."""
    if request.command:
        return _command_line(request)
    options = {
        "config": request.config,
        "engine": request.engine,
        "good": request.good,
        "bad": request.bad,
        "revision": request.packages or None,
        "regress": request.regress.value,
        "target": request.target,
        "draft": request.draft,
        "method": request.method,
        "spec": request.spec,
        "workload": request.workload,
        "level": request.level.value if request.level else None,
        "clone": request.clone or None,
        "executor": request.executor,
        "confidence": str(request.confidence),
        "verify": str(request.verify),
        "most-runs": str(request.most_runs),
        "parallel": str(request.parallel),
    }
    options = {name: value for name, value in options.items() if value != _UNSAID.get(name)}
    words = [f"--{name} {shlex.quote(value)}" for name, value in options.items() if value]
    words += [f"--cherry-pick {commit}" for commit in request.cherry_pick]
    verb = "packages" if request.packages else "run"
    words += ["--flaky"] * request.tolerate + ["--no-ahead"] * (not request.ahead)
    return " ".join([f"matrix bisect {verb}", *words])


_UNSAID = {
    "config": "matrix.toml",
    "executor": "auto",
    "confidence": "0.95",
    "verify": "1",
    "most-runs": "200",
    "parallel": "1",
}
"""What the command line takes without being told."""


def _command_line(request: Request) -> str:
    """How a bisection by a command is asked for; `request` says whether it is one."""
    options = {"clone": request.clone, "good": request.good, "bad": request.bad, "samples": str(request.samples)}
    options |= {"confidence": str(request.confidence), "verify": str(request.verify)}
    options |= {"most-runs": str(request.most_runs)}
    options = {name: value for name, value in options.items() if value != _UNSAID.get(name)}
    words = [f"--{name} {shlex.quote(value)}" for name, value in options.items() if value]
    return " ".join(["matrix bisect run", *words, "--", shlex.join(request.command)])


def source_of(row: StoredBisection) -> Source:
    """The config that a stored bisection was begun with, as the file stands now."""
    return Source(Path(str(row.request["config"])))
