"""`matrix bisect run ... -- CMD`: the same search with any command, over any git repository."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from matrix.app.bisect.begin import expected_runs
from matrix.app.bisect.by_command import CommandTools, bisect_by_command
from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Regress, Request
from matrix.cli.bisect.run import told
from matrix.cli.options import confidence_option, db_option, json_option
from matrix.sources.git import is_url
from matrix.store import open_store


@click.command("run")
@click.option("--clone", required=True, help="The repository: a folder, which is left as it is, or a URL.")
@click.option("--good", required=True, help="A commit, tag or branch at which the command succeeds.")
@click.option("--bad", required=True, help="A later one at which it fails.")
@click.option(
    "--samples",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Runs at each point that is asked. For a flaky command: how often it errs is measured at both ends.",
)
@confidence_option
@click.option("--verify", type=click.IntRange(0, 20), default=1, show_default=True, help="Askings again on each side.")
@click.option("--most-runs", type=click.IntRange(1), default=200, show_default=True, help="Stop after so many askings.")
@click.option("--yes", is_flag=True, help="Do not ask before starting.")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
@db_option
@json_option
def run_command(
    clone: str,
    good: str,
    bad: str,
    samples: int,
    confidence: float,
    verify: int,
    most_runs: int,
    yes: bool,
    words: tuple[str, ...],
    db: str,
    as_json: bool,
) -> int:
    """Search the first commit after GOOD and up to BAD at which CMD fails.

    CMD runs in a working tree of its own, with SPECMATRIX_COMMIT set; it exits with 0 (good), 125 (cannot be tested) or
    1 to 127 (bad). A status above 127 stops the search with exit code 4, and the same command goes on from there.
    """
    where = clone if is_url(clone) else str(Path(clone).expanduser().resolve())
    request = Request(
        config="",
        engine=where.rstrip("/").rpartition("/")[2].removesuffix(".git") or where,
        good=good,
        bad=bad,
        regress=Regress.WORKS,
        target="",
        clone=where,
        confidence=confidence,
        verify=verify,
        most_runs=most_runs,
        command=words,
        samples=samples,
    )
    store = open_store(db)
    try:
        return told(bisect_by_command(request, CommandTools(store, _say, _asker(samples, yes))), as_json)
    finally:
        store.close()


def _say(line: str) -> None:
    click.echo(line, err=True)


def _asker(samples: int, yes: bool) -> Callable[[Line], bool]:
    """Says how many points there are and asks, unless the answer is `yes` already or nobody can be asked."""

    def ask(line: Line) -> bool:
        runs = "1 run" if samples == 1 else f"{samples} runs"
        commits = "1 commit" if len(line.points) == 1 else f"{len(line.points)} commits"
        _say(f"{commits}, about {expected_runs(len(line.points))} askings of {runs}")
        if yes:
            return True
        if not sys.stdin.isatty():
            _say("nobody can be asked here: give --yes to start")
            return False
        return click.confirm("Continue?", default=True, err=True)

    return ask
