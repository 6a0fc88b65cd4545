"""`matrix bisect`: find the release or commit that broke it."""

import click

from matrix.cli.bisect.by_hand import bad, good, retry, skip, undo
from matrix.cli.bisect.log import log, replay
from matrix.cli.bisect.run import run
from matrix.cli.bisect.show import show
from matrix.cli.bisect.step import step


@click.group("bisect")
def command() -> None:
    """Find the release or commit that broke it: which one, and how sure that is."""


for verb in (run, show, log, replay, good, bad, skip, retry, undo, step):
    command.add_command(verb)
