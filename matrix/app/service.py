"""What the service says of itself: how often it errs, what it does, and what it has room for."""

import platform
import time
from dataclasses import dataclass, replace

import matrix
from matrix.app.at_work import AtWork, at_work
from matrix.app.disk import DiskView, disk
from matrix.app.lending import lent, stored_noise
from matrix.app.points import run_point
from matrix.app.thresholds import settings_of
from matrix.stats.false_flags import called, counted
from matrix.stats.settings import DEFAULTS
from matrix.store import Store
from matrix.store.migrate import REVISIONS
from matrix.store.service import ServiceRows
from matrix.store.views import SweepView

MOST_REPEATED = 400
"""Cells whose boots are judged against each other for the false-flag rate: the last repeated ones."""


@dataclass(frozen=True, slots=True)
class FalseFlagView:
    """A/A pairs of one metric: how many were compared, how many were called a fall, and the rate with its upper 95 %
    bound; both None where nothing was compared.
    """

    metric: str
    comparisons: int
    flags: int
    rate: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ReliabilityView:
    """`level` is the one-sided p that one comparison of single boots may spend; `cells` were looked at, no more than
    `most`; `at` is when (Unix seconds).
    """

    rates: list[FalseFlagView]
    level: float
    cells: int
    most: int
    at: float


@dataclass(frozen=True, slots=True)
class VersionsView:
    """Versions of what runs; `schema` is the database's."""

    specmatrix: str
    python: str
    database: str
    schema: str


@dataclass(frozen=True, slots=True)
class StatusView:
    """`sweep` is the last one, without its jobs; None before the first. `work`: who is about what."""

    reliability: ReliabilityView
    sweep: SweepView | None
    rows: ServiceRows
    work: AtWork
    disk: DiskView
    versions: VersionsView


def status(store: Store, reliability: ReliabilityView, used: DiskView) -> StatusView:
    """What is cheap to read, beside what was worked out before (`reliability_of`, `disk_of`)."""
    sweep = store.read.latest_sweep()
    return StatusView(
        reliability=reliability,
        sweep=replace(sweep, jobs=[]) if sweep else None,
        rows=store.service.rows(),
        work=at_work(store),
        disk=used,
        versions=VersionsView(
            specmatrix=matrix.__version__,
            python=platform.python_version(),
            database="PostgreSQL" if store.file is None else "SQLite",
            schema=REVISIONS[-1],
        ),
    )


def reliability_of(store: Store) -> ReliabilityView:
    """The measured false-flag rate: each pair of boots of one revision judged as two revisions would be."""
    places = store.service.repeated(MOST_REPEATED)
    keys = {key for key, _ in places}
    of = store.judged.places(keys)
    noise, lenders = stored_noise(store, of)
    borrowed, thresholds = lent(noise, lenders, of), store.judged.thresholds(keys)
    found = [
        call
        for (key, _), boots in store.series.points_at(places).items()
        for call in called([run_point(b) for b in boots], settings_of(thresholds.get(key, {})), borrowed[key])
    ]
    rates = [FalseFlagView(f.metric.value, f.comparisons, f.flags, f.rate, f.upper) for f in counted(found)]
    return ReliabilityView(rates, DEFAULTS.alpha * DEFAULTS.first_share, len(places), MOST_REPEATED, time.time())


def disk_of(store: Store) -> DiskView:
    """What this installation takes on this machine's disks."""
    return disk(store.file, store.state_dir)
