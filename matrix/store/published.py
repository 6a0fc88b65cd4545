"""Published accept lengths, by draft."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import delete, insert, select

from matrix.core.expectation import Bonus, Expectation
from matrix.store.tables import expectations
from matrix.store.texts import stored_text
from matrix.store.transactions import Transactions


class Published:
    """What drafts' authors published, as the last config that named the draft said."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def replace(self, said: Mapping[str, Sequence[Expectation]]) -> None:
        """For each draft named in `said` put these in the place of all that was stored; other drafts keep theirs."""
        rows = [_row(i, e) for found in said.values() for i, e in enumerate(found)]
        with self._db.write() as conn:
            conn.execute(delete(expectations).where(expectations.c.draft.in_(sorted(said))))
            if rows:
                conn.execute(insert(expectations), rows)

    def of(self, draft: str | None) -> list[Expectation]:
        """The published values of this draft in the order of the file; empty for none."""
        return self.all().get(draft or "", [])

    def all(self) -> dict[str, list[Expectation]]:
        """Published values by draft, those of each in the order of the file."""
        found: dict[str, list[Expectation]] = {}
        with self._db.read() as conn:
            rows = conn.execute(select(expectations).order_by(expectations.c.draft, expectations.c.ordinal)).mappings()
            for row in rows:
                values = {name: value for name, value in row.items() if name != "ordinal"}
                found.setdefault(row["draft"], []).append(Expectation(**values | {"bonus": Bonus(row["bonus"])}))
        return found


def _row(ordinal: int, expectation: Expectation) -> dict[str, object]:
    texts = {"workload": stored_text(expectation.workload), "link": stored_text(expectation.link)}
    return asdict(expectation) | texts | {"ordinal": ordinal, "bonus": expectation.bonus.value}
