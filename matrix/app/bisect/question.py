"""What a run at a point says about the question: good, bad, or nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matrix.app.bisect.request import Regress
from matrix.app.points import run_point
from matrix.bisect.answers import Said
from matrix.core.outcome import Outcome, Tier
from matrix.core.state import Metric, State
from matrix.stats.judge import judge_series
from matrix.stats.lengths import lengths
from matrix.stats.settings import DEFAULTS
from matrix.stats.speeds import rates
from matrix.store import StoredPoint

SPREAD = {Regress.ACCEPT: 0.015, Regress.SLOWER: 0.05}
"""Least standard deviation of a run's logarithm: the judge's assumed noise between boots, and 5 % of speed."""

MOST_RATIO = 8.0
"""No single run is taken as more telling than this: e^8 is 3,000 to one."""


@dataclass(frozen=True, slots=True)
class Told:
    """One answer: `ratio` is ln P(measured | bad) / P(measured | good), None where no number was measured."""

    said: Said
    why: str
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Ends:
    """Runs of the good end and of the bad end that were made so far, and the signature of the bad end's failure."""

    good: Sequence[StoredPoint] = ()
    bad: Sequence[StoredPoint] = ()
    signature: str = ""


def tell(regress: Regress, run: StoredPoint, ends: Ends, *, packages: bool = False) -> Told:
    """The answer of `run`. Failures of the machine or the installation say nothing (skip).

    A crash is bad when the question is whether it works, and only where it is the bad end's crash; it says nothing
    about accept length or speed. Where `packages` are searched, a server that names packages which do not go together
    has crashed.
    """
    about_them = packages and run.outcome is Outcome.ENVIRONMENT and run.signature not in ("", Outcome.ENVIRONMENT)
    if run.outcome.tier in (Tier.ENVIRONMENT, Tier.INFRA) and not about_them:
        return Told(Said.SKIP, f"{run.outcome}: {run.reason}")
    if regress is Regress.WORKS:
        return _works(run, ends)
    if regress is Regress.HANG:
        return _outcome(run, Outcome.HANG)
    if regress is Regress.WRONG_OUTPUT:
        return _wrong_output(run)
    if run.outcome.tier is not Tier.OK:
        return Told(Said.SKIP, f"{run.outcome} says nothing about {_METRICS[regress]}: {run.reason}")
    return _number(regress, run, ends)


def _works(run: StoredPoint, ends: Ends) -> Told:
    if run.outcome.tier is Tier.OK:
        return Told(Said.GOOD, _served(run))
    said = f"{run.outcome}: {run.reason}"
    if ends.signature and run.signature != ends.signature:
        return Told(Said.SKIP, f"another failure than the bad end's: {said}")
    return Told(Said.BAD, said)


def _outcome(run: StoredPoint, bad: Outcome) -> Told:
    if run.outcome is bad:
        return Told(Said.BAD, f"{run.outcome}: {run.reason}")
    if run.outcome.tier is Tier.OK:
        return Told(Said.GOOD, _served(run))
    return Told(Said.SKIP, f"{run.outcome} is no {bad}: {run.reason}")


def _wrong_output(run: StoredPoint) -> Told:
    verdict = judge_series([run_point(run)]).revisions[-1].verdict(Metric.OUTPUT)
    if run.outcome is Outcome.WRONG_OUTPUT or verdict.state is State.WRONG_OUTPUT:
        return Told(Said.BAD, run.reason if run.outcome is Outcome.WRONG_OUTPUT else verdict.reason)
    if run.outcome.tier is not Tier.OK:
        return Told(Said.SKIP, f"{run.outcome} says nothing about the text: {run.reason}")
    if verdict.state is State.UNKNOWN:
        return Told(Said.SKIP, verdict.reason)
    return Told(Said.GOOD, verdict.reason)


_METRICS = {Regress.ACCEPT: "accept length", Regress.SLOWER: "speed"}


def _number(regress: Regress, run: StoredPoint, ends: Ends) -> Told:
    value = measure(regress, run)
    if value is None:
        return Told(Said.SKIP, f"no {_METRICS[regress]} was measured")
    text = f"{_METRICS[regress]} {value:.2f}"
    good, bad = _mean(regress, ends.good), _mean(regress, ends.bad)
    if good is None or bad is None:
        return _end(regress, run, ends, text)
    spread = SPREAD[regress]
    moved, whole = math.log(value / good), math.log(bad / good)
    ratio = (moved**2 - (moved - whole) ** 2) / (2 * spread**2)
    ratio = max(-MOST_RATIO, min(MOST_RATIO, ratio))
    return Told(
        Said.BAD if ratio > 0 else Said.GOOD, f"{text} ({good:.2f} at the good end, {bad:.2f} at the bad)", ratio
    )


def _end(regress: Regress, run: StoredPoint, ends: Ends, text: str) -> Told:
    """An end is judged as a sweep would: alone when it is the first, against the other when it is the second."""
    metric = Metric.ACCEPT_LENGTH if regress is Regress.ACCEPT else Metric.SPEED
    verdict = judge_series([run_point(p) for p in (*ends.good, run)]).revisions[-1].verdict(metric)
    if verdict.state.bad:
        return Told(Said.BAD, verdict.reason)
    if ends.good and (verdict.state is State.UNKNOWN or regress is Regress.SLOWER):
        return _unjudged_end(regress, run, ends, text)
    return Told(Said.GOOD, verdict.reason or text)


def _unjudged_end(regress: Regress, run: StoredPoint, ends: Ends, text: str) -> Told:
    """Where the judge has too few prompts or boots: a fall beyond three times the noise is bad, within it good."""
    value, good = measure(regress, run), _mean(regress, ends.good)
    if value is None or good is None:
        return Told(Said.SKIP, f"no {_METRICS[regress]} to compare")
    fall = -math.log(value / good) / SPREAD[regress]
    if fall < 1:
        return Told(Said.GOOD, f"{text}, within noise of the good end's {good:.2f}")
    if fall < _CLEAR:
        return Told(Said.SKIP, f"{text}: too near to the good end's {good:.2f} to be told apart")
    return Told(Said.BAD, f"{text} ({good:.2f} at the good end)")


_CLEAR = 3.0


def measure(regress: Regress, run: StoredPoint) -> float | None:
    """The accept length of a run, or its tokens a second; None where it has none."""
    if regress is Regress.SLOWER:
        found = rates(run_point(run).tok_s)
        return sum(found.values()) / len(found) if found else None
    if regress is not Regress.ACCEPT and run.outcome.tier is not Tier.OK:
        return None
    usable = lengths(run_point(run), DEFAULTS)
    return usable.pooled() if usable.counters else None


def _mean(regress: Regress, runs: Sequence[StoredPoint]) -> float | None:
    values = [v for v in (measure(regress, run) for run in runs) if v is not None]
    return sum(values) / len(values) if values else None


def _served(run: StoredPoint) -> str:
    value = measure(Regress.ACCEPT, run)
    return "ok" if value is None else f"ok, accept length {value:.2f}"
