"""What the service measures of itself, in Prometheus's text format."""

import math
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

import matrix
from matrix.app.folders import cache_dir
from matrix.core.errors import MatrixError
from matrix.sources.hardware import free_bytes, gpus
from matrix.store import Priority, Store
from matrix.store.gauges import GaugeRows
from matrix.store.migrate import REVISIONS

QUANTILES = (0.5, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Measures:
    """`text` reads the store anew each time; GPUs are counted once. What it asks of the host can be replaced."""

    store: Store
    clock: Callable[[], float] = time.time
    gpus: Callable[[], int] = lambda: len(gpus().devices)
    free: Callable[[Path], int] = free_bytes
    _total: list[int] = field(default_factory=list)

    def text(self) -> bytes:
        """The whole page."""
        if not self._total:
            self._total.append(self.gpus())
        now, rows = self.clock(), self.store.gauges.rows(self.clock())
        registry = CollectorRegistry()
        registry.register(
            _Once([*_build(self.store), *_work(rows, now), *_machine(rows, self._total[0], self._disks())])
        )
        return generate_latest(registry)

    def _disks(self) -> Iterator[tuple[str, int]]:
        places: dict[str, Callable[[], Path]] = {"state": lambda: self.store.state_dir, "cache": cache_dir}
        for name, place in places.items():
            try:
                yield name, self.free(place())
            except (MatrixError, OSError):
                continue  # unknown: no sample says so


class _Once(Collector):
    def __init__(self, found: Iterable[Metric]) -> None:
        self._found = list(found)

    def collect(self) -> Iterable[Metric]:
        return self._found


def _gauge(name: str, about: str, values: Iterable[tuple[tuple[str, ...], float]], *labels: str) -> GaugeMetricFamily:
    made = GaugeMetricFamily(f"specmatrix_{name}", about, labels=labels)
    for named, value in values:
        made.add_metric(named, value)
    return made


def _build(store: Store) -> Iterator[Metric]:
    database = "sqlite" if store.file else "postgresql"
    named = (matrix.__version__, platform.python_version(), database, REVISIONS[-1])
    yield _gauge("build_info", "What runs.", [(named, 1)], "version", "python", "database", "schema")


def _work(rows: GaugeRows, now: float) -> Iterator[Metric]:
    queue = [((status, _urgency(priority)), float(n)) for (status, priority), n in sorted(rows.queue.items())]
    yield _gauge("jobs", "Open cells: queued wait, claimed are held by a worker.", queue, "status", "priority")
    waits = [] if rows.waiting_since is None else [((), max(0.0, now - rows.waiting_since))]
    yield _gauge("oldest_waiting_seconds", "Age of the cell that waits longest; absent when none waits.", waits)
    made = CounterMetricFamily("specmatrix_runs", "Runs stored, by outcome.", labels=["outcome"])
    for outcome, number in sorted(rows.outcomes.items()):
        made.add_metric([outcome], number)
    yield made
    about = "Duration of a phase in runs that ended in the last 24 hours, by quantile."
    times = [((phase, f"{q:g}"), _quantile(s, q)) for phase, s in sorted(rows.phases.items()) for q in QUANTILES]
    yield _gauge("phase_seconds", about, times, "phase", "quantile")
    counts = [((phase,), float(len(seconds))) for phase, seconds in sorted(rows.phases.items())]
    yield _gauge("phase_runs", "Runs of the last 24 hours that had the phase.", counts, "phase")
    yield _gauge("ticks", "Nights, by how they ended.", _by_status(rows.ticks), "status")
    ages = [] if rows.last_tick is None else [((), max(0.0, now - rows.last_tick))]
    yield _gauge("last_tick_age_seconds", "Since the newest night began; absent before the first.", ages)
    yield _gauge("messages", "Messages of [notify], by what became of them.", _by_status(rows.messages), "status")


def _machine(rows: GaugeRows, total: int, disks: Iterable[tuple[str, int]]) -> Iterator[Metric]:
    yield _gauge("gpu_leases", "GPUs held by runs, of all hosts that share the database.", [((), rows.leased)])
    yield _gauge("gpus", "GPUs of this host.", [((), total)])
    yield _gauge("database_bytes", "Size of the database.", [((), rows.bytes)])
    free = [((name,), float(size)) for name, size in disks]
    yield _gauge("disk_free_bytes", "Room left: state holds logs, cache environments.", free, "place")


def _by_status(counts: Mapping[str, int]) -> list[tuple[tuple[str, ...], float]]:
    return [((status,), float(number)) for status, number in sorted(counts.items())]


def _urgency(priority: int) -> str:
    return next((p.name.lower() for p in Priority if p == priority), str(priority))


def _quantile(seconds: list[float], q: float) -> float:
    """Nearest rank: what is told is a duration that was."""
    ranked = sorted(seconds)
    return ranked[math.ceil(q * len(ranked)) - 1]
