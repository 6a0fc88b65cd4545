"""Judges stored series: reads points, asks the pure judge, stores verdicts and flips."""

from statistics import fmean

from matrix.core.outcome import Outcome
from matrix.probes.output import LEAST_GAP
from matrix.stats.judge import RunPoint, SeriesJudgement, judge_series, standing
from matrix.store import PromptPoint, Store, StoredPoint


def judge_all(store: Store) -> int:
    """Judge every series again; returns how many there are. Flips already stored keep their number and time."""
    keys = store.series.keys()
    for key in keys:
        judge_one(store, key)
    return len(keys)


def judge_one(store: Store, series_key: str) -> SeriesJudgement:
    """Judge one series and store its verdicts and flips."""
    judgement = judge_series([run_point(point) for point in store.series.points(series_key)])
    store.series.save_verdicts(series_key, {r.run_id: r.verdicts for r in judgement.revisions})
    store.series.save_flips(series_key, judgement.flips, standing(judgement))
    return judgement


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
