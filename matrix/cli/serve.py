"""`matrix serve`: the dashboard."""

import click

from matrix.cli.options import db_option
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
    serve_forever(db, host, port, _announce, allow_host)


def _announce(url: str) -> None:
    click.echo(f"dashboard at {url} (Ctrl-C ends it)", err=True)
