"""What runs were made with: artifacts and logs by run, for those who decide what is kept."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select

from matrix.store.baselines import batches
from matrix.store.tables import runs
from matrix.store.transactions import Transactions


@dataclass(frozen=True, slots=True)
class Used:
    """The digest of a run's artifact and the reference of its log; None where it had none."""

    run_id: str
    digest: str | None
    log_ref: str | None


class Artifacts:
    """Reads."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def used(self, run_ids: Collection[str]) -> list[Used]:
        """What these runs used; runs that are not stored are left out."""
        columns = (runs.c.run_id, runs.c.artifact_digest, runs.c.log_ref)
        with self._db.read() as conn:
            return [
                Used(row.run_id, row.artifact_digest, row.log_ref)
                for batch in batches(sorted(set(run_ids)))
                for row in conn.execute(select(*columns).where(runs.c.run_id.in_(batch)))
            ]
