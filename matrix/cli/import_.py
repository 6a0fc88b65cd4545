"""`matrix import`: what others published, stored beside what is measured here."""

from datetime import date
from pathlib import Path

import click

from matrix.app.importing import field_file, import_file, summary
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.core.about import About
from matrix.core.errors import ConfigError, Where
from matrix.plan.config import ENGINES
from matrix.store import open_store


@click.command("import")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--dump", "dumps", multiple=True, metavar="FILE", help="Another instance's dump; may be repeated.")
@click.option("--field", is_flag=True, help="The published figures that come with this program.")
@click.option("--target", default="", metavar="MODEL", help="The model that a log or benchmark is about.")
@click.option("--draft", default="", metavar="D", help="Its draft.")
@click.option("--engine", type=click.Choice(ENGINES), default=None, help="The engine.")
@click.option("--versions", default="", metavar="V", help="The engine's version, or a range that holds it.")
@click.option("--method", default="", metavar="M", help="The speculative method.")
@click.option("--hardware", default="", metavar="H", help="The hardware.")
@click.option("--link", default="", metavar="URL", help="Where it was published; the file's name without it.")
@click.option("--date", "day", default="", metavar="DATE", help="When (YYYY-MM-DD); the file's own day without it.")
@db_option
@json_option
def command(
    files: tuple[str, ...],
    dumps: tuple[str, ...],
    field: bool,
    target: str,
    draft: str,
    engine: str | None,
    versions: str,
    method: str,
    hardware: str,
    link: str,
    day: str,
    db: str,
    as_json: bool,
) -> None:
    """Import TOML files of reports, SpecForge benchmark results, whole server or client logs, and dumps.

    Importing a file again adds nothing. The options say of a log or a benchmark what it does not say itself.
    """
    if not (*files, *dumps) and not field:
        raise click.UsageError("name a file, or --field for the published figures that come with this program")
    about = About(link, _checked(day), target, draft, engine or "", versions, method, hardware)
    paths = ([field_file()] if field else []) + [Path(file) for file in (*files, *dumps)]
    store = open_store(db)
    try:
        done = [import_file(store, path, about) for path in paths]
    finally:
        store.close()
    for item in done if as_json else ():
        echo_json(item)
    for line in () if as_json else summary(done):
        click.echo(plain(line))


def _checked(day: str) -> str:
    try:
        return str(date.fromisoformat(day)) if day else ""
    except ValueError:
        raise ConfigError(f"`{day}` is no date", hint="write YYYY-MM-DD", where=Where(key="--date")) from None
