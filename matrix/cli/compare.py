"""`matrix compare`: any two revisions, spec configs or drafts, series by series."""

import click

from matrix.app.compare import compare
from matrix.app.compared import Compared
from matrix.cli.compare_text import lines, tables
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.tables import table_console
from matrix.store import open_store


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.argument("where", nargs=-1, metavar="[FIELD=NAME]...")
@click.option("--all", "everything", is_flag=True, help="Rows that did not change, too.")
@db_option
@json_option
def command(a: str, b: str, where: tuple[str, ...], everything: bool, db: str, as_json: bool) -> None:
    """Set A and B side by side: what changed, by how much, and by how many times its noise.

    A side is a revision (0.32.0) or names of cells (`spec=eagle3 revision=0.32.0`); further names narrow both sides.
    Only what is stored is read, nothing is run. Exit code 3 when neither side has a run.
    """
    store = open_store(db, must_exist=True)
    try:
        found = compare(store, a, b, " ".join(where))
    finally:
        store.close()
    if as_json:
        echo_json(found)
    else:
        _show(found, everything)


def _show(found: Compared, everything: bool) -> None:
    console = table_console()
    for title, table in tables(found, everything):
        click.echo(title)
        console.print(table)
    for line in lines(found, everything):
        click.echo(line)
