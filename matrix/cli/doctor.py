"""`matrix doctor`: whether this machine has what sweeps need, and what to do where it has not."""

import click

from matrix.app.doctor.all import examine
from matrix.app.doctor.finding import Level
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.core.errors import Exit


@click.command("doctor")
@db_option
@json_option
def command(db: str, as_json: bool) -> int:
    """Check what sweeps need, one line a check: `ok`, `warn` or `fail`, each but the first with what to do.

    It changes nothing. Exit code 4 when a check fails.
    """
    failed = False
    for finding in examine(db):
        failed = failed or finding.level is Level.FAIL
        if as_json:
            echo_json(finding)
            continue
        click.echo(f"{finding.level:<4}  {plain(f'{finding.check}: {finding.text}')}")
        if finding.fix:
            click.echo(f"      do: {plain(finding.fix)}")
    return Exit.INFRA if failed else Exit.OK
