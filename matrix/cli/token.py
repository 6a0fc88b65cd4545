"""`matrix token`: tokens that a writing request must carry."""

import click
from rich.table import Table

from matrix.cli.moments import moment
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.tables import add_row, table_console
from matrix.core.errors import Exit
from matrix.store import open_store


@click.group("token")
def command() -> None:
    """Tokens for requests that change something: `Authorization: Bearer TOKEN`."""


@command.command("create")
@click.argument("name")
@db_option
@json_option
def create(name: str, db: str, as_json: bool) -> int:
    """Make a token for NAME and print it, this once: only its hash is kept."""
    store = open_store(db)
    try:
        token = store.tokens.create(name)
    finally:
        store.close()
    if as_json:
        echo_json({"name": name, "token": token})
        return Exit.OK
    click.echo(token)
    click.echo(f"this is the only time that the token of `{name}` is shown: keep it now", err=True)
    return Exit.OK


@command.command("list")
@db_option
@json_option
def listed(db: str, as_json: bool) -> int:
    """List the tokens by name: when each was made, last used and revoked."""
    store = open_store(db, must_exist=True)
    try:
        tokens = store.tokens.all()
    finally:
        store.close()
    if as_json:
        for token in tokens:
            echo_json(token)
        return Exit.OK
    table = Table("name", "created", "last used", "revoked", box=None)
    for token in tokens:
        used, revoked = (moment(at) if at else "never" for at in (token.last_used_at, token.revoked_at))
        add_row(table, token.name, moment(token.created_at), used, revoked)
    table_console().print(table)
    return Exit.OK


@command.command("revoke")
@click.argument("name")
@db_option
def revoke(name: str, db: str) -> int:
    """Have the token of NAME count no more, from the next request on."""
    store = open_store(db, must_exist=True)
    try:
        store.tokens.revoke(name)
    finally:
        store.close()
    click.echo(f"the token of `{name}` is revoked")
    return Exit.OK
