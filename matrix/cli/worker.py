"""`matrix worker`: run cells of shared sweeps beside the process that started them."""

import click

from matrix.app.worker import Worker
from matrix.cli.drain import Drain
from matrix.cli.options import db_option
from matrix.cli.worklog import WorkLog, say
from matrix.core.errors import Exit, MatrixError
from matrix.core.outcome import Outcome, Tier
from matrix.executors import owner
from matrix.store import open_store

LOOK_S, TROUBLE_S = 2.0, 10.0


@click.command("worker")
@db_option
@click.option("--executor", type=click.Choice(["auto", "venv", "docker"]), default="auto", show_default=True)
@click.option("--once", is_flag=True, help="End when no cell waits; exit code 4 when the machine failed one.")
@click.option("--beside", metavar="PROCESS", hidden=True, help="End when this process has ended (`serve --workers`).")
def command(db: str, executor: str, once: bool, beside: str | None) -> int:
    """Take cells of nightly sweeps, one at a time, until ended.

    One worker runs one cell: start as many as the host has GPUs to fill. SIGTERM lets the cell under way finish,
    a second one or Ctrl-C stops it; nothing that was measured is lost. A database that is away or locked, or a full
    disk, is waited for.
    """
    drain = Drain(lambda: beside is not None and not owner.alive(beside))
    drain.heed()
    store = open_store(db)
    try:
        worker = Worker(store, db, executor, WorkLog(), drain.stopping)
        for line in worker.begin():
            say(line)
        return _work(worker, drain, once)
    finally:
        store.close()


def _work(worker: Worker, drain: Drain, once: bool) -> int:
    failed, ran = False, 0
    while not drain.stopping():
        try:
            outcome: Outcome | None = worker.work()
        except (MatrixError, OSError) as error:
            if once:
                raise
            say(f"{error}; trying again in {TROUBLE_S:.0f} s")
            drain.wait(TROUBLE_S)
            continue
        failed, ran = failed or (outcome is not None and outcome.tier is Tier.INFRA), ran + (outcome is not None)
        if outcome is None and (once or drain.wait(LOOK_S)):
            break
    if once and not ran and not drain.stopping():
        say("no cell waits that this worker could run")
    return Exit.INFRA if once and failed else Exit.OK
