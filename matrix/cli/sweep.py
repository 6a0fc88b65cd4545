"""`matrix sweep`: run what is not measured, then judge."""

from pathlib import Path

import click

from matrix.app.announce import announce
from matrix.app.attribute import counting
from matrix.app.bisect.auto import AutoTools, bisect_flips
from matrix.app.extra import ExtraBoots
from matrix.app.setup import Ready, prepare
from matrix.app.sweep import SweepOutcome, run_sweep
from matrix.cli.options import echo_json, json_option, sweep_options, waiting
from matrix.cli.plan import summary
from matrix.cli.progress import Follower, clock
from matrix.core.errors import Exit
from matrix.stats.words import count


@click.command("sweep")
@sweep_options
@click.option("--force", is_flag=True, help="Measure known cells once more; earlier runs stay.")
@json_option
def command(config: str, executor: str | None, db: str, select: tuple[str, ...], force: bool, as_json: bool) -> int:
    """Build, serve, probe, store and judge; boot again where noise is not measured or a comparison is ambiguous.

    SELECT is a wildcard on engine/revision/target/spec/workload, or field=wildcard. Exit code 1 when a regression
    stands afterwards that nobody has acknowledged, 4 when the machine failed a run or none could be made.
    """
    with prepare(Path(config), db, executor, select, force=force, create=True, say=waiting) as ready:
        outcome = follow(ready)
        if as_json:
            echo_json(outcome)
        return exit_code(ready, outcome)


def follow(ready: Ready) -> SweepOutcome:
    """Run the plan with progress on standard error; returns what was done."""
    assert ready.store is not None  # noqa: S101 - made by `prepare(create=True)`
    total = len(ready.plan.todo) + len(ready.plan.repeats)
    with Follower(total, ready.plan.estimate.seconds, each=ready.plan.seconds) as follower:
        follower.say(summary(ready.plan))
        extra = ExtraBoots(follower.say, follower.grow)
        try:
            outcome = run_sweep(ready.plan, ready.executor, ready.store, follower, extra)
        except KeyboardInterrupt:
            follower.say("stopped; what was measured is kept, and the next sweep goes on from there")
            raise
        fresh = {flip.flip_id for flip in ready.store.series.unannounced()}
        announce(ready.store, follower.say)
        follower.say(_ending(outcome, follower.elapsed_s()))
        if ready.plan.source.config.bisect.auto:
            auto_bisect(ready, follower, fresh)
    return outcome


def auto_bisect(ready: Ready, follower: Follower, fresh: set[int]) -> None:
    """One bisection for each cause among the flips that are new, within the config's budget."""
    assert ready.store is not None  # noqa: S101 - as above
    tools = AutoTools(ready.plan.source, ready.executor, ready.store, follower, follower.say, follower.note)
    bisect_flips(tools, fresh)


def exit_code(ready: Ready, outcome: SweepOutcome) -> int:
    """Infra before regression: a sweep the machine failed has not answered the question."""
    if outcome.in_vain:
        return Exit.INFRA
    return Exit.REGRESSION if ready.store is not None and counting(ready.store) else Exit.OK


def _ending(outcome: SweepOutcome, seconds: float) -> str:
    failed = f", {outcome.infra} failed by the machine (run the sweep again)" if outcome.infra else ""
    if outcome.in_vain and not outcome.infra:
        failed = ", none of which could be measured (the reasons are above)"
    return f"{count(outcome.runs, 'run')} in {clock(seconds)}, {count(outcome.known, 'cell')} measured before{failed}"
