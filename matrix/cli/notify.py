"""`matrix notify`: what people were told of a night's news, and a test of who is told."""

from pathlib import Path

import click
from rich.table import Table

from matrix.app.news import sample_message
from matrix.app.notifying import Receivers
from matrix.app.source import Source
from matrix.cli.moments import moment
from matrix.cli.options import ROW_NUMBER, config_option, db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.cli.tables import add_row, table_console
from matrix.core.errors import Exit
from matrix.notify import github
from matrix.store import Store, open_store
from matrix.store.messages import MessageView


@click.command("notify")
@db_option
@json_option
@config_option
@click.option("--test", "name", metavar="NAME", help="Send a test to [notify.NAME] of the file now.")
@click.option("--show", type=ROW_NUMBER, metavar="N", help="Print message N as the text of an issue.")
@click.option("--again", type=ROW_NUMBER, metavar="N", help="Have message N, which was given up, tried anew.")
def command(db: str, as_json: bool, config: str, name: str | None, show: int | None, again: int | None) -> int:
    """List the messages, the newest first: sent, kept, waiting for another try, or given up.

    `matrix serve -c FILE` writes them after a night and sends them; exit code 4 when a test does not arrive.
    """
    if name is not None:
        return _test(Path(config), name)
    store = open_store(db, must_exist=True)
    try:
        if show is not None:
            _show(store, show)
            return Exit.OK
        if again is not None:
            store.messages.again(again)
        _list(store.messages.newest(), as_json)
    finally:
        store.close()
    return Exit.OK


def _test(config: Path, name: str) -> int:
    arrived = Receivers(str(config), Source(config).config.notify).test(name, sample_message())
    kept = f"`{name}` has no address, so nothing was sent; after a night its texts are kept for `matrix notify --show`"
    click.echo(f"`{name}` took the test" if arrived else kept, err=True)
    return Exit.OK


def _show(store: Store, number: int) -> None:
    message = store.messages.get(number)
    click.echo(plain(message.title))
    click.echo()
    click.echo("\n".join(plain(line) for line in github.text(message).splitlines()))


def _list(found: list[MessageView], as_json: bool) -> None:
    if as_json:
        for view in found:
            echo_json(view)
        return
    if not found:
        click.echo("nobody was told anything yet", err=True)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("message", "to", "status", "tries", "when", "title", "error"):
        table.add_column(column, overflow="fold")
    for view in found:
        add_row(table, str(view.message_id), view.notifier, view.status, str(view.attempts), *_when(view))
    table_console().print(table)


def _when(view: MessageView) -> tuple[str, str, str]:
    at = view.sent_at if view.sent_at is not None else view.created_at
    again = f"again at {moment(view.next_at)}" if view.next_at is not None and view.attempts else moment(at)
    return again, view.title, view.error
