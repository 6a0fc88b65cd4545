"""What tests let other processes do: `python -m tests.store.child VERB URL ...`; one line of output for each event."""

import os
import shutil
import sys
from pathlib import Path

from matrix.core.errors import MatrixError
from matrix.store import Store, open_store
from tests.store.build import cell, run, sample


def main(verb: str, url: str, *args: str) -> None:
    try:
        store = open_store(url)
        if verb == "open":
            print("opened", flush=True)
        elif verb == "claim-and-die":
            claim_and_die(store, *args)
        elif verb == "fill-disk":
            fill_disk(store, *args)
    except MatrixError as error:
        print(type(error).__name__, error, flush=True)


def claim_and_die(store: Store, owner: str) -> None:
    """Hold a job, say so, and wait to be killed."""
    job = store.queue.claim(owner)
    assert job is not None
    store.queue.set_phase(job.job_id, owner, "serve")
    print(job.job_id, flush=True)
    sys.stdin.read()


def fill_disk(store: Store, folder: str, keep: str) -> None:
    """Save runs until the disk is full; then copy the database out, free space and save once more."""
    saved = 0
    ballast = Path(folder) / "ballast"
    ballast.write_bytes(os.urandom(2**20))
    try:
        while saved < 10_000:
            store.runs.save(run(f"r{saved}", cell(), *[sample(text=os.urandom(4000).hex())] * 4))
            saved += 1
    except MatrixError as error:
        print(type(error).__name__, error, flush=True)
    rows = [row.run_id for row in store.read.results()]
    print(saved, rows == [f"r{i}" for i in range(saved)], flush=True)
    ballast.unlink()
    store.runs.save(run("after", cell(), sample()))
    with store._db.read() as conn:
        print(conn.exec_driver_sql("PRAGMA integrity_check").scalar(), flush=True)
    store.close()
    # What no checkpoint found room for lies in the write-ahead log.
    for file in Path(folder).glob("m.db*"):
        shutil.copy(file, keep + file.name.removeprefix("m.db"))


if __name__ == "__main__":
    main(*sys.argv[1:])
