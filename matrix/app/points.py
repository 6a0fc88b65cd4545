"""Stored runs as the judge sees them."""

from statistics import fmean

from matrix.core.outcome import Outcome
from matrix.probes.output import LEAST_GAP
from matrix.stats.point import RunPoint
from matrix.store import PromptPoint, Store, StoredPoint


def points(store: Store, series_key: str) -> list[RunPoint]:
    """The runs of one series, oldest revision first; empty for an unknown series."""
    return [run_point(point) for point in store.series.points(series_key)]


def run_point(point: StoredPoint) -> RunPoint:
    """A stored run as the judge sees it."""
    compared = [p for p in point.prompts if point.baseline_run is not None and point.outcome is not Outcome.INFRA]
    limit = max(point.noise.get("limit", 0.0), LEAST_GAP)
    return RunPoint(
        run_id=point.run_id,
        revision=point.revision,
        outcome=point.outcome,
        method=point.method,
        reason=point.reason,
        k=point.k,
        prompts={p.prompt_id: p.counters for p in point.prompts},
        flags={p.prompt_id: p.flags for p in point.prompts},
        tok_s={p.prompt_id: fmean(p.tok_s) for p in point.prompts if p.tok_s},
        baseline_tok_s={p.prompt_id: p.baseline_tok_s for p in point.prompts if p.baseline_tok_s is not None},
        compared=len(compared),
        diverged=sum(1 for p in compared if p.gaps),
        wrong=sum(1 for p in compared if _wrong(p, limit)),
        artifact=point.artifact_digest,
        boot=point.boot,
    )


def _wrong(prompt: PromptPoint, limit: float) -> bool:
    return any(gap is not None and gap > limit for gap, _ in prompt.gaps)
