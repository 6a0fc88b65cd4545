"""What the judge gives back."""

from dataclasses import dataclass

from matrix.core.state import Flip, Metric, State, Verdict


@dataclass(frozen=True, slots=True)
class RevisionJudgement:
    """One verdict a metric (accept length, speed, output) for one revision, and the runs they rest on, in boot order.

    `run_id` is the run that best shows the verdict: the last one that agrees with it.
    """

    revision: str
    run_id: str
    run_ids: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    def verdict(self, metric: Metric) -> Verdict:
        return next(v for v in self.verdicts if v.metric is metric)

    def state(self, metric: Metric) -> State:
        return self.verdict(metric).state


@dataclass(frozen=True, slots=True)
class SeriesJudgement:
    """All revisions of one series, oldest first, and its changes of state in the same order."""

    revisions: tuple[RevisionJudgement, ...] = ()
    flips: tuple[Flip, ...] = ()
