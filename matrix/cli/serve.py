"""`matrix serve`: the dashboard."""

import click

from matrix.cli.options import db_option
from web.serving import serve_forever


@click.command("serve")
@db_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
def command(db: str, host: str, port: int) -> None:
    """Serve the dashboard until interrupted."""
    serve_forever(db, host, port, lambda url: click.echo(f"dashboard at {url} (Ctrl-C ends it)", err=True))
