"""`matrix restore`: a dump into an empty database."""

from pathlib import Path

import click

from matrix.app.export_dump import restore_dump
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.store import open_store


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@db_option
@json_option
def command(file: Path, db: str, as_json: bool) -> None:
    """Fill an empty database from the file that `matrix export --dump` wrote; all of it or nothing.

    Logs are no part of a dump: copy the folder `.matrix/logs` beside the new database. Tokens are made anew.
    """
    store = open_store(db)
    try:
        done = restore_dump(store, file)
    finally:
        store.close()
    if as_json:
        echo_json(done)
    else:
        click.echo(plain(f"{done.file}: {done.rows} rows restored"))
