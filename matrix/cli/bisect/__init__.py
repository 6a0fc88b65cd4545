"""`matrix bisect`: find the release, commit or package that broke it."""

import click

from matrix.cli.bisect.by_hand import bad, good, retry, skip, undo
from matrix.cli.bisect.log import log, replay
from matrix.cli.bisect.packages import packages
from matrix.cli.bisect.run import run
from matrix.cli.bisect.run_command import run_command
from matrix.cli.bisect.show import show
from matrix.cli.bisect.step import step


class _Bisect(click.Group):
    """`run` takes other options where a command follows `--`: they name a repository instead of a cell."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, found, rest = super().resolve_command(ctx, args)
        return name, run_command if found is run and "--" in rest else found, rest


@click.group("bisect", cls=_Bisect)
def command() -> None:
    """Find the release, commit or package that broke it: which one, and how sure that is.

    `matrix bisect run ... -- CMD` asks any command, over any git repository; `run --help -- CMD` lists its options.
    """


for verb in (run, packages, show, log, replay, good, bad, skip, retry, undo, step):
    command.add_command(verb)
