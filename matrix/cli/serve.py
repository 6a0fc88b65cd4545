"""`matrix serve`: the dashboard."""

import click

from matrix.cli.options import db_option
from matrix.cli.plain import plain
from matrix.core.errors import NotFoundError
from matrix.store import open_store
from web.serving import serve_forever


@click.command("serve")
@db_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
@click.option("--allow-host", multiple=True, metavar="NAME", help="A further name it is reached by; repeatable.")
def command(db: str, host: str, port: int, allow_host: tuple[str, ...]) -> None:
    """Serve the dashboard until interrupted.

    On this machine's own address it answers to `localhost` and to addresses only, so that no web page can read it
    through your browser; behind a proxy, name it with --allow-host.
    """
    absent = absent_file(db)

    def announce(url: str) -> None:
        if absent:
            next_step = "`matrix sweep` in this folder fills it while the page is open, `--db` names another"
            click.echo(f"{plain(absent)}: there was no database yet, so an empty one was made; {next_step}", err=True)
        click.echo(f"dashboard at {url} (Ctrl-C ends it)", err=True)

    serve_forever(db, host, port, announce, allow_host)


def absent_file(db: str) -> str:
    """The SQLite file that `db` names and that is not there yet; empty for a database that exists."""
    try:
        open_store(db, must_exist=True).close()
    except NotFoundError as error:
        return error.where.file or db
    return ""
