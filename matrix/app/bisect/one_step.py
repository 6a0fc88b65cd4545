"""One step of `git bisect run`: the commit that is checked out, judged."""

from dataclasses import dataclass
from pathlib import Path

from matrix.app.bisect.bounds import Bounds
from matrix.app.bisect.carry import Tools
from matrix.app.bisect.question import Ends, Told, tell
from matrix.app.bisect.request import Regress, Request
from matrix.app.bisect.subject import Subject, subject
from matrix.app.sweep import run_sweep
from matrix.bisect.answers import Said
from matrix.bisect.gitlog import LogError, read_log
from matrix.core.errors import ConfigError, InfraError
from matrix.core.outcome import Outcome
from matrix.core.revision import Revision
from matrix.sources import git
from matrix.store import StoredPoint


@dataclass(frozen=True, slots=True)
class Checkout:
    """A clone in which a `git bisect` is under way: its folder, the commit checked out, and the ends."""

    folder: Path
    commit: str
    good: str
    bad: str


def checkout(folder: Path) -> Checkout:
    """What git says of `folder`. Raises ConfigError where no bisection is under way."""
    repo = git.Repository(folder)
    top = git.said(repo, "rev-parse", "--show-toplevel")
    log = git.said(repo, "bisect", "log")
    commit = git.said(repo, "rev-parse", "HEAD")
    if top is None or log is None or commit is None:
        hint = "run it as `git bisect run matrix bisect step ...`, inside the engine's clone"
        raise ConfigError(f"no git bisection is under way in {folder}", hint=hint)
    try:
        entries = read_log(log)
    except LogError as error:
        raise ConfigError(f"git's bisect log cannot be read: {error}", hint="start it again") from None
    good = [e.revision for e in entries if e.said is Said.GOOD]
    bad = [e.revision for e in entries if e.said is Said.BAD]
    if not good or not bad:
        raise ConfigError("git knows no good or no bad end yet", hint="`git bisect start BAD GOOD` first")
    whole = git.Repository(Path(top))
    return Checkout(Path(top), commit, git.whole_hash(whole, good[0]), git.whole_hash(whole, bad[0]))


def judge_checkout(request: Request, where: Checkout, tools: Tools) -> Told:
    """The answer for the commit that is checked out. The ends are run too, once, where no run of them is stored."""
    whole = subject(tools.source, request, tools.executor, tools.store)
    bounds = Bounds(whole, tools.store)
    runner = _Runner(request, whole, bounds, tools)
    good = [runner.run(where.good)]
    first = tell(request.regress, good[0], Ends())
    if first.said is not Said.GOOD:
        raise ConfigError(f"the good end {where.good[:12]} is {first.said}: {first.why}", hint="name another good end")
    bad = [runner.run(where.bad)]
    last = tell(request.regress, bad[0], Ends(good))
    if last.said is not Said.BAD:
        raise ConfigError(f"the bad end {where.bad[:12]} is {last.said}: {last.why}", hint="name another bad end")
    signature = bad[0].signature if request.regress is Regress.WORKS else ""
    return tell(request.regress, runner.run(where.commit), Ends(good, bad, signature))


@dataclass(frozen=True, slots=True)
class _Runner:
    request: Request
    subject: Subject
    bounds: Bounds
    tools: Tools

    def run(self, commit: str) -> StoredPoint:
        """The commit's newest run, made now where none is known. InfraError when the machine fails it."""
        revision: Revision = self.bounds.at_commit(commit)
        store = self.tools.store
        pair, needs = self.subject.cells(revision, 0), self.request.regress.needs_baseline
        plan, key = self.subject.plan(pair, self.tools.executor, store, baseline=needs)
        if plan.todo:
            run_sweep(plan, self.tools.executor, store, self.tools.progress)
        found = store.runs.newest(key)
        if found is None or found.outcome is Outcome.INFRA:
            reason = found.reason if found else "no run was stored"
            raise InfraError(f"the machine failed {revision}: {reason}", hint="mend it and start git's run again")
        return found
