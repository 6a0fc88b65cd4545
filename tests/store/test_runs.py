"""What is measured already, what to measure next, and what stands beside a run."""

from dataclasses import replace

from matrix.core.outcome import Outcome
from matrix.core.spec import BASELINE
from matrix.core.state import Change, Flip, Metric, State
from matrix.plan.estimate import Past
from matrix.store import Store
from tests.store.build import ARTIFACT, baseline_run, cell, key, run, sample

SERIES = cell().series_key
    assert store.runs.baseline_of(cell("1.0", BASELINE)) == found
