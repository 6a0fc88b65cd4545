"""A bisection by any command over any git repository: no config, no engine."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matrix.app.bisect.carry import command
from matrix.app.bisect.command_hunt import CommandHunt
from matrix.app.bisect.hunt import Say
from matrix.app.bisect.levels import bare_commits
from matrix.app.bisect.points import Line
from matrix.app.bisect.report import Report, make_report
from matrix.app.bisect.request import Level, Request
from matrix.app.folders import cache_dir
from matrix.core.cell import digest
from matrix.core.errors import ConfigError
from matrix.executors import owner
from matrix.executors.command import run_command
from matrix.executors.locks import held
from matrix.sources import git
from matrix.sources.worktree import Worktree
from matrix.store import Store, redact

Agree = Callable[[Line], bool]
"""Told the points before the first run; False leaves everything as it is."""


@dataclass(frozen=True, slots=True)
class CommandTools:
    """What a bisection by a command works with."""

    store: Store
    say: Say
    agree: Agree


def bisect_by_command(request: Request, tools: CommandTools) -> Report | None:
    """The report; None when the user did not want to start. An open bisection asked for in the same words goes on.

    Raises ConfigError for bounds that make no range or a command that is not there, InfraError where the command ends
    with a status above 127.
    """
    _check(request.command[0])
    repo = git.repository(request.clone, cache_dir())
    known = tools.store.bisections.find(request.to_json())
    if known is not None:
        tools.say(f"taking up bisection {known.bisection_id}: {len(known.answers)} runs are kept")
        return _search(request, Line.from_json(known.history), known.bisection_id, repo, tools)
    ends = [git.whole_hash(repo, text) for text in (request.good or "", request.bad)]
    for text, commit in zip((request.good, request.bad), ends, strict=True):
        tools.say(f"{text} is the commit {commit[:12]}")
    line = bare_commits(repo, *ends)
    for note in line.notes:
        tools.say(note)
    if not tools.agree(line):
        return None
    return _search(request, line, _begin(request, line, tools.store), repo, tools)


def _check(program: str) -> None:
    """A path is looked for in each commit; a name must be a program of this host."""
    if "/" not in program and shutil.which(program) is None:
        hint = f"install it, or write ./{program} for a file of the repository"
        raise ConfigError(f"there is no program `{program}`", hint=hint)


def _begin(request: Request, line: Line, store: Store) -> int:
    return store.bisections.begin(
        engine=request.engine,
        level=Level.COMMIT.value,
        question=request.regress.value,
        request=request.to_json(),
        config="",
        history=line.to_json(),
        owner=owner.me(),
    )


def _search(request: Request, line: Line, number: int, repo: git.Repository, tools: CommandTools) -> Report:
    store = tools.store
    store.bisections.take_over(number, owner.me())
    folder = cache_dir() / "worktrees" / digest([store.place, number])[:16]
    logs = store.state_dir / "commands" / str(number)
    tools.say(f"the command's output goes to {logs}")
    tree = Worktree(repo, folder)
    with held(folder.with_suffix(".lock"), "bisection", tools.say):
        try:
            hunt = CommandHunt(request, line, number, store, _attempt(request, tree, logs), tools.say)
            state, decision = hunt.go()
        finally:
            tree.remove()
    row = store.bisections.get(number)
    report = make_report(request, line, row, state, decision, store, engine_starts=hunt.runs, resume=command(request))
    store.bisections.finish(number, decision.phase.value, report.to_json())
    return report


def _attempt(request: Request, tree: Worktree, logs: Path) -> Callable[[str, str], int]:
    """Each run starts from the commit's files alone."""

    def attempt(commit: str, name: str) -> int:
        tree.check_out(commit)
        return run_command(request.command, tree.folder, commit, logs / f"{name}.log", redact)

    return attempt
