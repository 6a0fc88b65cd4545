"""`matrix bisect good|bad|skip|retry|undo`: answers by hand, and taking answers back."""

import click

from matrix.app.bisect.points import Line
from matrix.app.bisect.report import short
from matrix.bisect.answers import Said
from matrix.bisect.history import held_by
from matrix.cli.options import ROW_NUMBER, db_option
from matrix.core.errors import Exit, NotFoundError
from matrix.store import Store, open_store
from matrix.store.bisections import StoredBisection

_number = click.option("--bisection", "number", type=ROW_NUMBER, help="Its number; the newest without it.")
_revision = click.argument("revision")


def _verdict(said: Said, help_: str) -> click.Command:
    @click.command(said.value, help=help_)
    @_revision
    @_number
    @click.option("--why", default="said by hand", help="Kept with the answer.")
    @db_option
    def answer(revision: str, number: int | None, why: str, db: str) -> int:
        store = open_store(db, must_exist=True)
        try:
            row = store.bisections.get(number)
            name = point_named(row, revision)
            given = store.bisections.answer(row.bisection_id, name, said.value, why=why, phase="hand", by_hand=True)
            click.echo(f"answer {given} of bisection {row.bisection_id}: {short(name)} is {said}")
            return Exit.OK
        finally:
            store.close()

    return answer


good = _verdict(Said.GOOD, "Say by hand that REVISION is good.")
bad = _verdict(Said.BAD, "Say by hand that REVISION is bad.")


@click.command("skip")
@click.argument("revision", metavar="REVISION|A..B")
@_number
@click.option("--why", default="said by hand", help="Kept with the answer.")
@db_option
def skip(revision: str, number: int | None, why: str, db: str) -> int:
    """Say by hand that REVISION cannot be tested, or none of those that B holds and A does not (as git's A..B)."""
    store = open_store(db, must_exist=True)
    try:
        row = store.bisections.get(number)
        names = _between(row, revision)
        for name in names:
            store.bisections.answer(row.bisection_id, name, Said.SKIP.value, why=why, phase="hand", by_hand=True)
        listed = (
            short(names[0]) if len(names) == 1 else f"{len(names)} points, {short(names[0])} to {short(names[-1])},"
        )
        click.echo(f"bisection {row.bisection_id}: {listed} skip")
        return Exit.OK
    finally:
        store.close()


def _between(row: StoredBisection, text: str) -> list[str]:
    """The points that a revision or a range names, oldest first. NotFoundError for a range that holds none."""
    start, dots, end = text.partition("..")
    if not dots:
        return [point_named(row, text)]
    line = Line.from_json(row.history)
    before, held = (held_by(line.history, line.index(point_named(row, name))) for name in (start, end))
    names = [line.points[i].name for i in range(len(line.points)) if held[i] and not before[i]]
    if not names:
        raise NotFoundError(
            f"`{text}` holds no point of bisection {row.bisection_id}", hint="the older end comes first"
        )
    return names


@click.command("retry")
@_revision
@_number
@db_option
def retry(revision: str, number: int | None, db: str) -> int:
    """Take back every answer about REVISION, so that it is run again."""
    store = open_store(db, must_exist=True)
    try:
        row = store.bisections.get(number)
        name = point_named(row, revision)
        mine = [a for a in row.answers if a.point == name]
        if not mine:
            raise NotFoundError(f"bisection {row.bisection_id} has no answer about {revision}")
        for answer in mine:
            store.bisections.undo(row.bisection_id, answer.answer_id)
        click.echo(f"{len(mine)} answers about {short(name)} taken back")
        return Exit.OK
    finally:
        store.close()


@click.command("undo")
@_number
@db_option
def undo(number: int | None, db: str) -> int:
    """Take the last answer back."""
    store = open_store(db, must_exist=True)
    try:
        row = store.bisections.get(number)
        if not row.answers:
            raise NotFoundError(f"bisection {row.bisection_id} has no answer to take back")
        _undo(store, row)
        return Exit.OK
    finally:
        store.close()


def _undo(store: Store, row: StoredBisection) -> None:
    last = row.answers[-1]
    store.bisections.undo(row.bisection_id, last.answer_id)
    click.echo(f"taken back: {short(last.point)} was {last.said} ({last.why})")


def point_named(row: StoredBisection, text: str) -> str:
    """The point that `text` names, whole or shortened. NotFoundError for none or several."""
    line = Line.from_json(row.history)
    names = [line.good.name, *(p.name for p in line.points)]
    found = [n for n in names if n == text] or [n for n in names if len(text) >= _SHORTEST and n.startswith(text)]
    if len(found) != 1:
        hint = "`matrix bisect show NUMBER --json` lists its points"
        raise NotFoundError(f"`{text}` names {len(found)} points of bisection {row.bisection_id}", hint=hint)
    return found[0]


_SHORTEST = 7
