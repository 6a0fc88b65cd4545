"""`matrix demo`: two real vLLM releases on the CPU, a real regression between them, on a dashboard."""

from typing import NoReturn

import click

from matrix.app.setup import prepare
from matrix.cli.options import db_option, waiting
from matrix.cli.sweep import follow
from matrix.core.errors import Exit
from matrix.demo import CONFIG
from web.serving import Background, wait_forever


@click.command("demo")
@db_option
@click.option("--once", is_flag=True, help="End when the sweep is stored and judged, without serving.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes a free one.")
def command(db: str, once: bool, host: str, port: int) -> int:
    """Sweep the demo's matrix and serve the dashboard until interrupted.

    Exit code 0 when the sweep is stored and judged: the regression it finds is what the demo is for.
    """
    return _sweep_once(db) if once else _sweep_and_serve(db, host, port)


def _sweep_once(db: str) -> int:
    code = _sweep(db)
    if code == Exit.OK:
        click.echo("stored and judged; `matrix regressions` explains it, `matrix serve` shows it", err=True)
    return code


def _sweep_and_serve(db: str, host: str, port: int) -> NoReturn:
    with Background(db, host, port) as server:
        click.echo(f"dashboard at {server.url}, filling while the sweep runs", err=True)
        if _sweep(db) == Exit.OK:
            click.echo(f"done; look at {server.url} (Ctrl-C ends it)", err=True)
        try:
            wait_forever()
        except KeyboardInterrupt:
            click.echo("the results are kept; the same command shows them again", err=True)
            raise


def _sweep(db: str) -> int:
    with prepare(CONFIG, db, None, (), force=False, create=True, say=waiting) as ready:
        return Exit.INFRA if follow(ready).in_vain else Exit.OK
