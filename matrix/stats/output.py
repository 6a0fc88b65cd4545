"""State of the output at a revision that served."""

from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.stats.point import RunPoint
from matrix.stats.words import count, numbers


def output(point: RunPoint) -> Verdict:
    """Wrong where the probe counted wrong prompts. A baseline that served is healthy: nothing is there to set it against."""
    values = numbers(compared=point.compared, diverged=point.diverged, wrong=point.wrong)
    if point.wrong:
        reason = f"{point.wrong} of {count(max(point.compared, point.wrong), 'prompt')} gave another text by more than a near-tie"
        return Verdict(Metric.OUTPUT, State.WRONG_OUTPUT, reason, values)
    if point.compared:
        return Verdict(Metric.OUTPUT, State.HEALTHY, _same(point), values)
    if point.method is Method.NONE and point.prompts:
        return Verdict(Metric.OUTPUT, State.HEALTHY, f"served {count(len(point.prompts), 'prompt')}")
    return Verdict(Metric.OUTPUT, State.UNKNOWN, "the output was not compared with a baseline's")


def _same(point: RunPoint) -> str:
    parted = f"{point.diverged} parted from it at near-ties" if point.diverged else "none parted from it"
    return f"{count(point.compared, 'prompt')} compared with the baseline's text, {parted}"
