"""`matrix bisect run`: between two points, which one broke it?"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from matrix.app.bisect.begin import Forecast
from matrix.app.bisect.carry import Tools, bisect
from matrix.app.bisect.markdown import headline, markdown
from matrix.app.bisect.points import Line
from matrix.app.bisect.report import Report
from matrix.app.bisect.request import Level, Regress, Request
from matrix.app.executors import make_executor
from matrix.app.setup import config_at_hand, executor_name
from matrix.app.source import Source
from matrix.bisect.search import Phase
from matrix.cli.options import confidence_option, config_option, db_option, echo_json, json_option
from matrix.cli.progress import Follower, clock
from matrix.core.errors import Exit
from matrix.store import open_store, state_dir_of


def cell_options(function: Callable[..., Any], *, required: bool = True) -> Callable[..., Any]:
    """Options that choose the cell and the question; `required`: engine and target must be named."""
    for option in (
        config_option,
        click.option("--engine", required=required, help="An engine's table, its engine, or the way it is installed."),
        click.option(
            "--regress",
            type=click.Choice([r.value for r in Regress]),
            default=Regress.ACCEPT.value,
            show_default=True,
            help="What counts as bad; `fixed` looks for the repair.",
        ),
        click.option("--target", required=required, help="A target of the config."),
        click.option("--draft", help="A draft of the config; leave it out for n-gram and MTP."),
        click.option("--method", help="Needed when the draft is used by several methods."),
        click.option("--spec", help="A spec config by name, where several fit."),
        click.option("--workload", help="A workload by name, where several fit."),
        click.option("--clone", default="", help="The engine's repository, a folder or URL: then commits are found."),
        click.option("--executor", type=click.Choice(["auto", "venv", "docker", "ray"]), help="Overrides the file's."),
        db_option,
    ):
        function = option(function)
    return function


def search_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say how sure the answer must be and how the search goes about it."""
    for option in (
        json_option,
        click.option("--yes", is_flag=True, help="Do not ask before starting."),
        click.option("--flaky", is_flag=True, help="Search on although an end gave both answers."),
        click.option("--no-ahead", is_flag=True, help="On GPUs: do not build what may be next while a point runs."),
        click.option("--parallel", type=click.IntRange(1, 64), default=1, show_default=True, help="Points at a time."),
        click.option("--most-runs", type=click.IntRange(1), default=200, show_default=True, help="Stop after so many."),
        click.option("--verify", type=click.IntRange(0, 20), default=1, show_default=True, help="Runs again, a side."),
        confidence_option,
    ):
        function = option(function)
    return function


@click.command("run")
@cell_options
@click.option("--good", help="Release, nightly's date, commit, tag, `last-good`; without it, walk back by doubling.")
@click.option("--bad", default="latest", show_default=True, help="Release, nightly's date, commit, tag or `latest`.")
@click.option(
    "--level", type=click.Choice([level.value for level in Level]), help="How fine; as fine as can be without it."
)
@search_options
@click.option("--cherry-pick", multiple=True, metavar="SHA", help="Carry this fix over onto each commit; repeatable.")
def run(db: str, executor: str | None, yes: bool, as_json: bool, **options: Any) -> int:
    """Search the first bad revision after GOOD and up to BAD.

    Exit code 0 with an answer (the report's `culprit`, or its `range`), 1 when the ends do not differ or the search
    stopped short.
    """
    options["config"] = config_at_hand(options["config"], db, lambda text: click.echo(text, err=True))
    return carried_out(bisect, request_from(executor, options), db, executor, yes=yes, as_json=as_json)


def carried_out(
    ask: Callable[[Request, Tools], Report | None],
    request: Request,
    db: str,
    executor: str | None,
    *,
    yes: bool,
    as_json: bool,
) -> int:
    """Open what a bisection needs, carry it out, print the report; the exit code."""
    source = Source(Path(request.config))
    name = executor_name(source, executor)
    chosen = make_executor(name, source.config, source.path.resolve().parent, state_dir_of(db))
    store = open_store(db)
    try:
        with Follower(0, 0.0) as follower:
            tools = Tools(source, chosen, store, follower, follower.say, asker(follower, yes), follower.note)
            report = ask(request, tools)
    except KeyboardInterrupt:
        click.echo("stopped; every answer is kept, and the same command goes on from there", err=True)
        raise
    finally:
        store.close()
    return told(report, as_json)


def request_from(executor: str | None, options: dict[str, Any]) -> Request:
    """The request that command-line options make."""
    level = options.get("level")
    return Request(
        config=options["config"],
        engine=options["engine"],
        good=options.get("good"),
        bad=options["bad"],
        regress=Regress(options["regress"]),
        target=options["target"],
        draft=options["draft"],
        method=options["method"],
        spec=options["spec"],
        workload=options["workload"],
        level=Level(level) if level else None,
        clone=options["clone"],
        executor=executor or "auto",
        confidence=options["confidence"],
        verify=options["verify"],
        most_runs=options["most_runs"],
        parallel=options.get("parallel", 1),
        ahead=not options.get("no_ahead", False),
        cherry_pick=tuple(options.get("cherry_pick", ())),
        tolerate=options["flaky"],
        packages=options.get("revision", ""),
    )


def asker(follower: Follower, yes: bool) -> Callable[[Forecast, Line], bool]:
    """Tells the cost and asks, unless the answer is `yes` already or nobody can be asked."""

    def ask(found: Forecast, line: Line) -> bool:
        follower.say(cost(found))
        follower.expect(found.runs, found.seconds)
        if yes:
            return True
        if not sys.stdin.isatty():
            follower.say("nobody can be asked here: give --yes to start")
            return False
        return click.confirm("Continue?", default=True, err=True)

    return ask


def cost(found: Forecast) -> str:
    """`37 points, about 6 runs, 52:00, 41 GiB; 5 built already`."""
    points = "1 point" if found.points == 1 else f"{found.points} points"
    built = f"; {found.cached} built already" if found.cached else ""
    return f"{points}, about {found.runs} runs, {clock(found.seconds)}, {found.disk_gib:.1f} GiB{built}"


def told(report: Report | None, as_json: bool) -> int:
    """Print the report; the exit code."""
    if report is None:
        return Exit.USAGE
    if as_json:
        echo_json(report.to_json())
    else:
        click.echo(headline(report), err=True)
        click.echo(markdown(report))
    return Exit.OK if report.status == Phase.DONE.value else Exit.REGRESSION
