"""States of a revision whose run did not end in `ok`."""

from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State, Verdict
from matrix.stats.point import RunPoint
from matrix.stats.words import Numbers, numbers, sentence

STATES = {
    Outcome.LOAD_CRASH: State.BROKEN,
    Outcome.SERVE_CRASH: State.BROKEN,
    Outcome.MEASURED_NOTHING: State.BROKEN,
    Outcome.WRONG_OUTPUT: State.WRONG_OUTPUT,
    Outcome.OOM: State.UNKNOWN,
    Outcome.HANG: State.UNKNOWN,
    Outcome.BUILD_FAILED: State.UNKNOWN,
    Outcome.CONFIG_ERROR: State.UNKNOWN,
    Outcome.ENVIRONMENT: State.UNKNOWN,
    Outcome.INFRA: State.UNKNOWN,
    Outcome.UNSUPPORTED: State.NOT_APPLICABLE,
}


def failed(point: RunPoint) -> tuple[Verdict, ...]:
    """Verdicts of all metrics. One cause gives one bad state, on the metric that it speaks about."""
    state, reason = STATES[point.outcome], _reason(point)
    if point.outcome is Outcome.MEASURED_NOTHING and point.method is Method.NONE:
        return tuple(_without_draft(metric, reason) for metric in Metric)
    if not state.bad:
        return tuple(Verdict(metric, state, reason) for metric in Metric)
    return tuple(_on(metric, point, state, reason) for metric in Metric)


def home(point: RunPoint) -> Metric:
    """The metric that carries the bad state: output for wrong text and for baselines, else accept length."""
    baseline = point.method is Method.NONE
    return Metric.OUTPUT if baseline or point.outcome is Outcome.WRONG_OUTPUT else Metric.ACCEPT_LENGTH


def _on(metric: Metric, point: RunPoint, state: State, reason: str) -> Verdict:
    if metric is home(point):
        return Verdict(metric, state, reason, _counts(point) if metric is Metric.OUTPUT else ())
    if metric is Metric.ACCEPT_LENGTH and point.method is Method.NONE:
        return _without_draft(metric, reason)
    if point.outcome is Outcome.WRONG_OUTPUT:
        return Verdict(metric, State.UNKNOWN, f"the output is wrong, so its {metric} tells nothing")
    return Verdict(metric, State.UNKNOWN, f"not measured: {reason}")


def _without_draft(metric: Metric, reason: str) -> Verdict:
    """A server that has no draft and of which no more was asked is not broken."""
    if metric is Metric.ACCEPT_LENGTH:
        return Verdict(metric, State.NOT_APPLICABLE, "no draft")
    return Verdict(metric, State.UNKNOWN, f"not measured: {reason}")


def _counts(point: RunPoint) -> Numbers:
    return numbers(compared=point.compared, diverged=point.diverged, wrong=point.wrong) if point.compared else ()


def _reason(point: RunPoint) -> str:
    detail = sentence(point.reason)
    if point.outcome is Outcome.MEASURED_NOTHING and point.method is not Method.NONE:
        prefix = "served, but no draft counters moved"
        if detail.startswith("served, but no draft counters"):
            return detail
        return f"{prefix}: {detail}" if detail else prefix
    return f"{point.outcome}: {detail}" if detail else str(point.outcome)
