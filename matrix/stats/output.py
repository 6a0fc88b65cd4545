"""State of the output at a revision that served."""

from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.stats.point import RunPoint
from matrix.stats.words import count, numbers


def output(point: RunPoint) -> Verdict:
    """Healthy where texts were compared and the run still ended in `ok`. A baseline is healthy when it served."""
    values = numbers(compared=point.compared, diverged=point.diverged, wrong=point.wrong)
    if point.compared:
        return Verdict(Metric.OUTPUT, State.HEALTHY, _same(point), values)
    if point.method is Method.NONE:
        return Verdict(Metric.OUTPUT, State.HEALTHY, f"served {count(len(point.prompts), 'prompt')}")
    return Verdict(Metric.OUTPUT, State.UNKNOWN, "the output was not compared with a baseline's")


def _same(point: RunPoint) -> str:
    parted = f"{point.diverged} parted from it" if point.diverged else "none parted from it"
    far = f", {point.wrong} of them by more than a near-tie, which chance explains" if point.wrong else ""
    return f"{count(point.compared, 'prompt')} compared with the baseline's text, {parted}{far}"
