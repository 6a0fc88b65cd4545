"""Adds one run with its samples, workload and lock inside a transaction that the caller holds."""

from sqlalchemy import Connection, insert

from matrix.core.errors import InfraError
from matrix.core.result import RunResult
from matrix.store.contents import put_lock, put_workload
from matrix.store.runrow import run_to_row
from matrix.store.samplerow import sample_to_row
from matrix.store.squares import add_run
from matrix.store.tables import runs, samples
from matrix.store.transactions import insert_new


def save_run(
    conn: Connection,
    result: RunResult,
    *,
    sweep_id: int | None = None,
    log_ref: str | None = None,
    log_bytes: int | None = None,
) -> None:
    """Insert the run; InfraError when a run of this id is stored already (runs are never overwritten)."""
    put_workload(conn, result.cell.workload)
    lock_ref = put_lock(conn, result.artifact.lock) if result.artifact else None
    row = run_to_row(result) | {
        "sweep_id": sweep_id,
        "lock_ref": lock_ref,
        "log_ref": log_ref,
        "log_bytes": log_bytes,
    }
    if not insert_new(conn, runs, row, "run_id"):
        raise InfraError(f"run {result.run_id} is stored already", hint="a new attempt needs a run id of its own")
    number = conn.execute(runs.select().with_only_columns(runs.c.id).where(runs.c.run_id == result.run_id)).scalar_one()
    if result.samples:
        conn.execute(insert(samples), [sample_to_row(number, i, s) for i, s in enumerate(result.samples)])
    add_run(conn, number)
