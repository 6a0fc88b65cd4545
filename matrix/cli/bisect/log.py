"""`matrix bisect log` and `replay`: answers as git's own bisect log."""

from pathlib import Path

import click

from matrix.app.bisect.points import Line
from matrix.app.bisect.show import log_text
from matrix.bisect.answers import Said
from matrix.bisect.gitlog import LogError, answers_of, read_log
from matrix.cli.options import ROW_NUMBER, db_option
from matrix.core.errors import ConfigError, Exit, Where
from matrix.store import open_store


@click.command("log")
@click.argument("number", type=ROW_NUMBER, required=False)
@db_option
def log(number: int | None, db: str) -> int:
    """Print a bisection's answers as `git bisect log` would; git can replay them."""
    store = open_store(db, must_exist=True)
    try:
        click.echo(log_text(store, number), nl=False)
        return Exit.OK
    finally:
        store.close()


@click.command("replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--bisection", "number", type=ROW_NUMBER, help="Its number; the newest without it.")
@db_option
def replay(file: str, number: int | None, db: str) -> int:
    """Replace a bisection's answers by those of a bisect log, git's or ours."""
    store = open_store(db, must_exist=True)
    try:
        row = store.bisections.get(number)
        line = Line.from_json(row.history)
        try:
            answers = answers_of(line.history, read_log(Path(file).read_text(encoding="utf-8", errors="replace")))
        except LogError as error:
            raise ConfigError(str(error), hint="give what `matrix bisect log` prints", where=Where(file)) from None
        for answer in row.answers:
            store.bisections.undo(row.bisection_id, answer.answer_id)
        for found in answers:
            store.bisections.answer(
                row.bisection_id,
                line.point(found.point).name,
                Said(found.said).value,
                ratio=found.ratio,
                why=f"from {Path(file).name}",
                phase="hand",
                by_hand=True,
            )
        click.echo(f"bisection {row.bisection_id} has {len(answers)} answers now")
        return Exit.OK
    finally:
        store.close()
