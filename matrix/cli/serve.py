"""`matrix serve`: the dashboard, and with a config its nightly sweeps."""

from collections.abc import Sequence
from pathlib import Path

import click

from matrix.app.nightly import Shift
from matrix.cli.drain import Drain
from matrix.cli.moments import moment
from matrix.cli.options import db_option
from matrix.cli.plain import plain
from matrix.cli.worklog import WorkLog, say
from matrix.core.errors import NotFoundError
from matrix.executors import owner
from matrix.executors.helpers import helpers
from matrix.store import open_store
from web.serving import Background, serve_forever

LOOK_S = 10.0


@click.command("serve")
@db_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--allow-host", multiple=True, metavar="NAME", help="A further name it is reached by; repeatable.")
@click.option("--read-only", is_flag=True, help="Refuse every change, with a token too, and show no forms.")
@click.option("--config", "-c", "configs", multiple=True, type=Path, help="Sweep this file nightly; repeatable.")
@click.option("--executor", type=click.Choice(["auto", "venv", "docker", "ray"]), help="Overrides the files' executor.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 256), help="Cells at once, on GPUs.")
def command(
    db: str,
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    read_only: bool,
    configs: tuple[Path, ...],
    executor: str | None,
    workers: int,
) -> None:
    """Serve the dashboard until interrupted, and sweep the files of --config when their [nightly] table says so.

    On this machine's own address it answers to `localhost` and to addresses only, so that no web page can read it
    through your browser; behind a proxy, name it with --allow-host.
    """
    absent = absent_file(db)

    def announce(server: Background) -> None:
        if absent:
            fills = "the first night" if configs else "`matrix sweep` in this folder"
            next_step = f"{fills} fills it while the page is open, `--db` names another"
            click.echo(f"{plain(absent)}: there was no database yet, so an empty one was made; {next_step}", err=True)
        if server.open_to:
            click.echo(server.open_to, err=True)
        click.echo(f"dashboard at {server.url} (Ctrl-C ends it)", err=True)

    if not configs:
        serve_forever(db, host, port, announce, allow_host, read_only=read_only)
        return
    drain = Drain()
    shifts = [Shift(config, db, executor, WorkLog(), say, drain.stopping) for config in configs]
    with Background(db, host, port, allow_host, read_only=read_only) as server:
        announce(server)
        of_host = "auto" if executor in (None, "ray") else executor
        words = ["worker", "--db", db, "--executor", of_host, "--beside", owner.me()]
        with helpers(workers - 1, words, say):
            drain.heed()
            _keep(shifts, drain)


def _keep(shifts: Sequence[Shift], drain: Drain) -> None:
    """Tick each file in turn until asked to end."""
    for shift in shifts:
        at = shift.coming()
        say(f"{shift.config}: its nights are kept{f', the next begins {moment(at)}' if at is not None else ''}")
    while not drain.stopping():
        if not any(shift.tick() for shift in shifts):
            drain.wait(LOOK_S)


def absent_file(db: str) -> str:
    """The SQLite file that `db` names and that is not there yet; empty for a database that exists."""
    try:
        open_store(db, must_exist=True).close()
    except NotFoundError as error:
        return error.where.file or db
    return ""
