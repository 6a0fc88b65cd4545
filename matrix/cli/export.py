"""`matrix export`: the dashboard as files that any web server can host, or the database as one file."""

from pathlib import Path

import click

from matrix.app.backup import write_backup
from matrix.app.export_dump import write_dump
from matrix.cli.options import db_option, echo_json, json_option, waiting
from matrix.cli.plain import plain
from matrix.store import Store, open_store
from web.export import write_site


@click.command("export")
@click.option("--site", type=click.Path(path_type=Path), metavar="DIR", help="Write the pages into this folder.")
@click.option("--dump", type=click.Path(path_type=Path), metavar="FILE", help="Write the database into this file.")
@click.option("--backup", type=click.Path(path_type=Path), metavar="FILE", help="Copy a SQLite database in use to it.")
@db_option
@json_option
def command(site: Path | None, dump: Path | None, backup: Path | None, db: str, as_json: bool) -> None:
    """Write the read-only site (--site), the database as a dump (--dump), or a copy of its file (--backup).

    What was exported before is replaced once the new one is whole. A folder or file of something else is refused.
    """
    if site is None and dump is None and backup is None:
        raise click.UsageError("say what to write: --site DIR, --dump FILE or --backup FILE")
    store = open_store(db, must_exist=True)
    try:
        if backup is not None:
            _back_up(store, backup, as_json)
        _write(store, site, dump, as_json)
    finally:
        store.close()


def _back_up(store: Store, backup: Path, as_json: bool) -> None:
    done = write_backup(store, backup)
    if as_json:
        echo_json(done)
    else:
        click.echo(plain(f"{done.file}: {done.bytes} bytes, tokens included; now copy {done.logs}, which has its logs"))


def _write(store: Store, site: Path | None, dump: Path | None, as_json: bool) -> None:
    if dump is not None:
        done = write_dump(store, dump)
        if as_json:
            echo_json(done)
        else:
            click.echo(plain(f"{done.file}: {done.rows} rows; without tokens, leases of GPUs and logs"))
    if site is not None:
        waiting("writing every page")
        told = write_site(store, site)
        if as_json:
            echo_json(told)
        else:
            click.echo(plain(f"{told.folder}: {told.files} files, {told.written} of them new or changed"))
