"""`matrix bisect show`: bisections, or one of them: its answers and its suspects so far."""

from typing import Any

import click
from rich.console import Console
from rich.table import Table

from matrix.app.bisect.hunt import state_of
from matrix.app.bisect.points import Line
from matrix.app.bisect.report import short
from matrix.app.bisect.request import Request
from matrix.bisect.search import culprit, decide
from matrix.cli.options import db_option, echo_json, json_option
from matrix.cli.plain import plain
from matrix.core.errors import Exit
from matrix.store import open_store
from matrix.store.bisections import StoredAnswer, StoredBisection


@click.command("show")
@click.argument("number", type=int, required=False)
@db_option
@json_option
def show(number: int | None, db: str, as_json: bool) -> int:
    """List the bisections, or show bisection NUMBER: its answers, and who is suspected so far."""
    store = open_store(db, must_exist=True)
    try:
        if number is None:
            for row in store.bisections.all():
                _listed(row, as_json)
            return Exit.OK
        _shown(store.bisections.get(number), as_json)
        return Exit.OK
    finally:
        store.close()


def _listed(row: StoredBisection, as_json: bool) -> None:
    asked = row.request
    if as_json:
        echo_json({"bisection": row.bisection_id, "status": row.status, "level": row.level, "request": dict(asked)})
        return
    ends = f"({asked.get('good') or '?'}, {asked.get('bad')}]"
    click.echo(plain(f"{row.bisection_id:>4}  {row.status:<8}  {row.engine} {row.question} {row.level} {ends}"))


def _shown(row: StoredBisection, as_json: bool) -> None:
    line = Line.from_json(row.history)
    state = state_of(Request.from_json(dict(row.request)), line, row)
    found, decision = culprit(state), decide(state)
    suspects = [(line.points[i], float(found[i])) for i in sorted(range(len(found)), key=lambda i: -found[i])[:_MOST]]
    following = [line.point(p).name for p in decision.points]
    if as_json:
        echo_json(
            {
                "bisection": row.bisection_id,
                "status": row.status,
                "phase": decision.phase.value,
                "answers": [_answer(a) for a in row.answers],
                "suspects": [{"name": p.name, "probability": share, "subject": p.subject} for p, share in suspects],
                "next": following,
                "report": row.report,
            }
        )
        return
    console = Console(highlight=False)
    table = Table("answer", "point", "said", "why", title=f"bisection {row.bisection_id} ({row.status})")
    for answer in row.answers:
        table.add_row(str(answer.answer_id), short(answer.point), answer.said, plain(answer.why))
    console.print(table)
    for point, share in suspects[:5]:
        console.print(plain(f"{100 * share:5.1f} % {short(point.name):<14} {'#' * round(30 * share)}"))
    console.print(plain(f"next: {', '.join(short(n) for n in following) or decision.reason or 'nothing'}"))


def _answer(answer: StoredAnswer) -> dict[str, Any]:
    return {
        "answer": answer.answer_id,
        "point": answer.point,
        "said": answer.said,
        "why": answer.why,
        "phase": answer.phase,
        "by_hand": answer.by_hand,
        "run_id": answer.run_id,
    }


_MOST = 10
