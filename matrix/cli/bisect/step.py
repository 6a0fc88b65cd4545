"""`matrix bisect step`: the script of `git bisect run`."""

from pathlib import Path
from typing import Any

import click

from matrix.app.bisect.carry import Tools
from matrix.app.bisect.one_step import checkout, judge_checkout
from matrix.app.executors import make_executor
from matrix.app.setup import executor_name
from matrix.app.source import Source
from matrix.bisect.answers import Said
from matrix.cli.bisect.run import asker, cell_options, request_from
from matrix.cli.progress import Follower
from matrix.core.errors import ConfigError, Exit, InfraError, MatrixError
from matrix.store import open_store, state_dir_of

SKIP = 125
CODES = {Said.GOOD: int(Exit.OK), Said.BAD: int(Exit.REGRESSION), Said.SKIP: SKIP}


@click.command("step")
@cell_options
def step(db: str, executor: str | None, **options: Any) -> int:
    """Judge the commit that is checked out here, for `git bisect run matrix bisect step ...`.

    Exit code 0 good, 1 bad, 125 cannot be tested. Anything else is above 127, at which git stops: 130 for a faulty
    command or config, 131 for something not found, 132 when the machine failed.
    """
    try:
        return _step(db, executor, options)
    except (MatrixError, KeyboardInterrupt):
        raise
    except Exception as error:
        # Python's own exit status for an error is 1, which git would take for a bad commit.
        raise InfraError(f"{type(error).__name__}: {error}", hint="this is a fault of specmatrix: report it") from error


def _step(db: str, executor: str | None, options: dict[str, Any]) -> int:
    where = checkout(Path.cwd())
    if options["regress"] == "fixed":
        raise ConfigError(
            "git has its own words for a repair", hint="`git bisect start --term-new=fixed --term-old=broken`"
        )
    options |= {"bad": where.bad, "good": where.good, "clone": str(where.folder), "level": None}
    options |= {"confidence": 0.95, "verify": 1, "most_runs": 200, "flaky": False}
    request = request_from(executor, options)
    source = Source(Path(request.config))
    name = executor_name(source, executor)
    chosen = make_executor(name, source.config, source.path.resolve().parent, state_dir_of(db))
    store = open_store(db)
    try:
        with Follower(0, 0.0) as follower:
            tools = Tools(source, chosen, store, follower, follower.say, asker(follower, yes=True))
            told = judge_checkout(request, where, tools)
        click.echo(f"{where.commit[:12]} is {told.said}: {told.why}", err=True)
        return CODES[told.said]
    finally:
        store.close()


def git_code(code: int) -> int:
    """The exit code for git: what is neither an answer nor a skip goes above 127."""
    return code if code in (*CODES.values(), Exit.INTERRUPTED) else 128 + code
