"""Bisections as rows: each answer is stored before the next point is chosen, so a killed one goes on where it was."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from matrix.core.errors import NotFoundError
from matrix.store.redact import redact
from matrix.store.tables.bisect import answers, bisections, holds
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions

OPEN = "open"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer about `point`, a revision's name; `said` is good, bad or skip."""

    answer_id: int
    point: str
    said: str
    ratio: float | None
    why: str
    run_id: str | None
    boot: int | None
    phase: str
    by_hand: bool
    created_at: float


@dataclass(frozen=True, slots=True)
class StoredBisection:
    """One bisection; `answers` are those that stand, in the order they came."""

    bisection_id: int
    parent_id: int | None
    engine: str
    level: str
    question: str
    status: str
    request: Mapping[str, Any]
    config: str
    history: Mapping[str, Any]
    signature: str
    report: Mapping[str, Any] | None
    owner: str | None
    created_at: float
    finished_at: float | None
    answers: tuple[StoredAnswer, ...] = ()


class Bisections:
    """Begins, answers, ends and reads bisections."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def begin(
        self,
        *,
        engine: str,
        level: str,
        question: str,
        request: Mapping[str, Any],
        config: str,
        history: Mapping[str, Any],
        owner: str,
        parent_id: int | None = None,
    ) -> int:
        """Store an open bisection; returns its number."""
        row = {
            "parent_id": parent_id,
            "engine": engine,
            "level": level,
            "question": question,
            "status": OPEN,
            "request": dict(request),
            "config": redact(config),
            "history": dict(history),
            "signature": "",
            "owner": owner,
            "created_at": time.time(),
        }
        with self._db.write() as conn:
            key = conn.execute(insert(bisections).values(**row)).inserted_primary_key
            return int(key[0]) if key else 0

    def take_over(self, number: int, owner: str) -> None:
        """Open it again for `owner`."""
        self._set(number, status=OPEN, owner=owner, finished_at=None, report=None)

    def sign(self, number: int, signature: str) -> None:
        """Keep the bad end's failure signature."""
        self._set(number, signature=stored_text(signature, 500))

    def finish(self, number: int, status: str, report: Mapping[str, Any]) -> None:
        """End it with its report; its holds are released."""
        self._set(number, status=status, report=dict(report), finished_at=time.time(), owner=None)
        with self._db.write() as conn:
            mine = (holds.c.bisection == number, holds.c.released_at.is_(None))
            conn.execute(update(holds).where(*mine).values(released_at=time.time()))

    def answer(
        self,
        number: int,
        point: str,
        said: str,
        *,
        why: str = "",
        ratio: float | None = None,
        run_id: str | None = None,
        boot: int | None = None,
        phase: str = "",
        by_hand: bool = False,
    ) -> int:
        """Store one answer; returns its number. An answer by the same run is stored once."""
        row = {
            "bisection": number,
            "point": point,
            "said": said,
            "ratio": ratio,
            "why": stored_text(redact(why)),
            "run_id": run_id,
            "boot": boot,
            "phase": phase,
            "by_hand": int(by_hand),
            "created_at": time.time(),
        }
        same = (answers.c.bisection == number, answers.c.run_id == run_id, answers.c.undone_at.is_(None))
        with self._db.write() as conn:
            known = conn.execute(select(answers.c.id).where(*same)).scalar() if run_id is not None else None
            if known is not None:
                return int(known)
            key = conn.execute(insert(answers).values(**row)).inserted_primary_key
            return int(key[0]) if key else 0

    def next_boot(self, number: int, point: str) -> int:
        """The boot ordinal after all that answers about `point` used, those taken back too: 0 for the first."""
        query = select(func.max(answers.c.boot)).where(answers.c.bisection == number, answers.c.point == point)
        with self._db.read() as conn:
            last = conn.execute(query).scalar()
        return 0 if last is None else int(last) + 1

    def undo(self, number: int, answer_id: int) -> None:
        """Take an answer back; the row stays."""
        with self._db.write() as conn:
            mine = (answers.c.bisection == number, answers.c.id == answer_id, answers.c.undone_at.is_(None))
            if conn.execute(update(answers).where(*mine).values(undone_at=time.time())).rowcount != 1:
                raise NotFoundError(f"bisection {number} has no answer {answer_id} to take back")

    def get(self, number: int | None = None) -> StoredBisection:
        """The bisection `number`, or the newest. NotFoundError where there is none."""
        query = select(bisections).order_by(bisections.c.id.desc()).limit(1)
        if number is not None:
            query = query.where(bisections.c.id == number)
        with self._db.read() as conn:
            row = conn.execute(query).first()
            if row is None:
                which = "no bisection yet" if number is None else f"no bisection {number}"
                raise NotFoundError(f"there is {which}", hint="`matrix bisect run` starts one")
            mine = (answers.c.bisection == row.id, answers.c.undone_at.is_(None))
            said = conn.execute(select(answers).where(*mine).order_by(answers.c.id)).all()
        return _bisection(row, tuple(_answer(r) for r in said))

    def all(self, status: str | None = None, limit: int = 200) -> list[StoredBisection]:
        """The newest first, without their answers."""
        query = select(bisections).order_by(bisections.c.id.desc()).limit(limit)
        if status is not None:
            query = query.where(bisections.c.status == status)
        with self._db.read() as conn:
            return [_bisection(row, ()) for row in conn.execute(query)]

    def asking(self, run_id: str) -> list[int]:
        """Numbers of the bisections that took a run for an answer, the newest first."""
        mine = (answers.c.run_id == run_id, answers.c.undone_at.is_(None))
        query = select(answers.c.bisection).where(*mine).distinct().order_by(answers.c.bisection.desc())
        with self._db.read() as conn:
            return [int(number) for number in conn.execute(query).scalars()]

    def find(self, request: Mapping[str, Any]) -> StoredBisection | None:
        """The newest open bisection that was asked for in the same words."""
        for found in self.all(OPEN):
            if dict(found.request) == dict(request):
                return self.get(found.bisection_id)
        return None

    def hold(self, number: int, kind: str, ref: str, reason: str) -> None:
        """Keep an artifact from eviction until the bisection ends; a second hold of the same is none."""
        same = (holds.c.bisection == number, holds.c.ref == ref, holds.c.released_at.is_(None))
        row = {"kind": kind, "ref": ref, "reason": reason, "bisection": number, "created_at": time.time()}
        with self._db.write() as conn:
            if conn.execute(select(holds.c.id).where(*same)).first() is None:
                conn.execute(insert(holds).values(**row))

    def held(self) -> frozenset[str]:
        """References of the artifacts that something holds on to."""
        with self._db.read() as conn:
            return frozenset(conn.execute(select(holds.c.ref).where(holds.c.released_at.is_(None))).scalars())

    def _set(self, number: int, **values: Any) -> None:
        with self._db.write() as conn:
            if conn.execute(update(bisections).where(bisections.c.id == number).values(**values)).rowcount != 1:
                raise NotFoundError(f"there is no bisection {number}")


def _bisection(row: Row[Any], said: tuple[StoredAnswer, ...]) -> StoredBisection:
    return StoredBisection(
        bisection_id=row.id,
        parent_id=row.parent_id,
        engine=row.engine,
        level=row.level,
        question=row.question,
        status=row.status,
        request=row.request,
        config=row.config,
        history=row.history,
        signature=row.signature,
        report=row.report,
        owner=row.owner,
        created_at=row.created_at,
        finished_at=row.finished_at,
        answers=said,
    )


def _answer(row: Row[Any]) -> StoredAnswer:
    return StoredAnswer(
        answer_id=row.id,
        point=row.point,
        said=row.said,
        ratio=row.ratio,
        why=row.why,
        run_id=row.run_id,
        boot=row.boot,
        phase=row.phase,
        by_hand=bool(row.by_hand),
        created_at=row.created_at,
    )
