"""Short ways to make points for the judge."""

from collections.abc import Sequence
from typing import Any

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Change, Metric, State, Verdict
from matrix.stats.judge import RunPoint, SeriesJudgement, judge_series

RECORDED = (1.81, 2.43, 2.27, 2.37, 1.90, 1.84, 1.87, 2.74, 1.98, 2.49, 1.95, 2.37, 1.65, 1.90, 2.23, 2.44)
STEPS = 1000


def prompts(values: Sequence[float], steps: int = STEPS) -> dict[str, Counters]:
    """Counters of prompts with these accept lengths, at least 1, exact to 1 / steps."""
    return {
        f"p{i:02}": Counters(steps=steps, proposed=3 * steps, accepted=max(round((v - 1) * steps), 0))
        for i, v in enumerate(values)
    }


def served(revision: str, values: Sequence[float] = RECORDED, steps: int = STEPS, **more: Any) -> RunPoint:
    """A run that ended in `ok`, with k = 3 and a draft."""
    given = {"run_id": f"run-{revision}", "method": Method.EAGLE3, "k": 3, "prompts": prompts(values, steps)} | more
    return RunPoint(revision=revision, outcome=Outcome.OK, **given)


def ended(revision: str, outcome: Outcome, reason: str = "why", **more: Any) -> RunPoint:
    """A run that ended otherwise."""
    given = {"run_id": f"run-{revision}", "method": Method.EAGLE3, "k": 3} | more
    return RunPoint(revision=revision, outcome=outcome, reason=reason, **given)


def scaled(factor: float) -> list[float]:
    return [value * factor for value in RECORDED]


def last(points: Sequence[RunPoint], metric: Metric = Metric.ACCEPT_LENGTH) -> Verdict:
    """The verdict at the newest revision."""
    return judge_series(points).revisions[-1].verdict(metric)


def states(judgement: SeriesJudgement, metric: Metric = Metric.ACCEPT_LENGTH) -> dict[str, State]:
    return {revision.revision: revision.state(metric) for revision in judgement.revisions}


def changes(points: Sequence[RunPoint], metric: Metric = Metric.ACCEPT_LENGTH) -> list[Change]:
    return [flip.change for flip in judge_series(points).flips if flip.metric is metric]
