"""Runs: what is measured already, and what a new run is compared with."""

from collections.abc import Iterable

from sqlalchemy import func, select

from matrix.core.cell import Cell
from matrix.core.result import RunResult
from matrix.core.revision import Revision
from matrix.store.baselines import batches, newest_baselines
from matrix.store.cellio import cell_from_json, revision_from_json
from matrix.store.contents import get_lock, get_workload
from matrix.store.jobs import JobStatus
from matrix.store.pointrows import newest_point
from matrix.store.points import StoredBaseline, StoredPoint
from matrix.store.queue import MEASURED, TRIED
from matrix.store.samplerow import sample_from_row
from matrix.store.saving import save_run
from matrix.store.tables import jobs, runs, samples
from matrix.store.transactions import Transactions


class Runs:
    """Runs are only added; there is no way to change or delete one."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def save(self, result: RunResult, *, log_ref: str | None = None, log_bytes: int | None = None) -> None:
        """Store a run that belongs to no job (one-off probes). A job's run goes through `Queue.finish`."""
        with self._db.write() as conn:
            save_run(conn, result, log_ref=log_ref, log_bytes=log_bytes)

    def measured_keys(self, keys: Iterable[str], *, tried: bool = False) -> dict[str, str]:
        """Those of the content keys that need no further run, each with its newest measured run.

        With `tried`, runs that were refused as unsupported do not count.
        """
        outcomes = TRIED if tried else MEASURED
        found: dict[str, str] = {}
        with self._db.read() as conn:
            for batch in batches(keys):
                rows = conn.execute(
                    select(runs.c.content_key, runs.c.run_id)
                    .where(runs.c.content_key.in_(batch), runs.c.outcome.in_(outcomes))
                    .order_by(runs.c.finished_at, runs.c.id)
                )
                found.update((row.content_key, row.run_id) for row in rows)
        return found

    def newest(self, content_key: str) -> StoredPoint | None:
        """The newest run of a content key, whatever its outcome, as the judge sees one; None without a run."""
        with self._db.read() as conn:
            return newest_point(conn, runs.c.content_key == content_key)

    def point(self, run_id: str) -> StoredPoint | None:
        """The run as the judge sees one; None for an unknown id."""
        with self._db.read() as conn:
            return newest_point(conn, runs.c.run_id == run_id)

    def revision(self, run_id: str) -> Revision | None:
        """What the run ran; None for an unknown id."""
        with self._db.read() as conn:
            cell = conn.execute(select(runs.c.cell).where(runs.c.run_id == run_id)).scalar()
        return revision_from_json(cell["revision"]) if cell is not None else None

    def cell(self, run_id: str) -> Cell | None:
        """The cell that the run was an attempt at; None for an unknown id."""
        with self._db.read() as conn:
            body = conn.execute(select(runs.c.cell).where(runs.c.run_id == run_id)).scalar()
            return None if body is None else cell_from_json(body, lambda content: get_workload(conn, content))

    def installed(self, run_id: str) -> tuple[str | None, list[str]]:
        """Digest of the run's artifact, and its lock; (None, []) for an unknown id."""
        with self._db.read() as conn:
            query = select(runs.c.artifact_digest, runs.c.lock_ref).where(runs.c.run_id == run_id)
            row = conn.execute(query).first()
            return (None, []) if row is None else (row.artifact_digest, get_lock(conn, row.lock_ref))

    def next_boot(self, cell: Cell) -> int:
        """The lowest boot ordinal above all measured and all waiting ones of this cell; 0 for a new cell."""
        open_ = (JobStatus.QUEUED.value, JobStatus.CLAIMED.value)
        with self._db.read() as conn:
            highest = [
                conn.execute(
                    select(func.max(table.c.boot)).where(
                        table.c.series_key == cell.series_key,
                        table.c.revision == cell.revision.version,
                        column.in_(values),
                    )
                ).scalar()
                for table, column, values in ((runs, runs.c.outcome, MEASURED), (jobs, jobs.c.status, open_))
            ]
        return 1 + max((boot for boot in highest if boot is not None), default=-1)

    def baseline_of(self, cell: Cell) -> StoredBaseline | None:
        """The newest no-draft run that is ok beside this cell, with its texts and alternatives; None without one."""
        place = (cell.baseline.series_key, cell.revision.version, cell.boot)
        with self._db.read() as conn:
            found = newest_baselines(conn, [place]).get(place)
            if found is None:
                return None
            rows = conn.execute(select(samples).where(samples.c.run == found.number).order_by(samples.c.ordinal)).all()
            finished_at = conn.execute(select(runs.c.finished_at).where(runs.c.id == found.number)).scalar_one()
        return StoredBaseline(
            found.run_id, tuple(sample_from_row(row) for row in rows), found.tok_s, found.noise, finished_at
        )
