"""All tables of the store, by name."""

from matrix.store.tables.base import metadata
from matrix.store.tables.bisect import answers, bisections, holds, leases, tokens
from matrix.store.tables.judged import flips, judged_series, verdicts
from matrix.store.tables.messages import messages
from matrix.store.tables.reported import reports
from matrix.store.tables.runs import locks, runs, samples, workloads
from matrix.store.tables.squares import series, squares
from matrix.store.tables.told import acks, expectations
from matrix.store.tables.work import jobs, sweeps, ticks

__all__ = [
    "acks",
    "answers",
    "bisections",
    "expectations",
    "flips",
    "holds",
    "jobs",
    "judged_series",
    "leases",
    "locks",
    "messages",
    "metadata",
    "reports",
    "runs",
    "samples",
    "series",
    "squares",
    "sweeps",
    "ticks",
    "tokens",
    "verdicts",
    "workloads",
]
