"""What an engine's own log says of acceptance while it was probed, and whether that contradicts its counters."""

from matrix.core.counters import Counters
from matrix.engines.logtext import clean
from matrix.engines.readers import read
from matrix.engines.reading import Context, Reading

_RECORDS = ("SpecDecoding metrics", "Decode batch")
_ROUNDING = 0.01
_LEAST, _MOST = 0.5, 2.0


def logged(log: str, k: int | None) -> Counters:
    """Verify steps and accepted drafts of all records of acceptance in `log`; None in both where it has none.

    `decode_steps` holds the steps of the largest record: so many may lie on the wrong side of the probe's edges.

    vLLM's records count the drafts of a window, SGLang's lines the requests that took part in a step. V0's running
    totals are no part of it: they are what is measured where they are printed.
    """
    context = Context(k=k)
    lines = [line for line in log.splitlines() if any(mark in line for mark in _RECORDS)]
    found = [r for line in lines for r in read(clean(line), line, context) if r.value is not None and _steps(r)]
    if not found:
        return Counters(requests=0)
    steps, largest = sum(_steps(r) for r in found), max(_steps(r) for r in found)
    accepted = sum(((r.value or 1) - 1) * _steps(r) if r.accepted is None else r.accepted for r in found)
    return Counters(steps=round(steps), accepted=round(accepted), decode_steps=round(largest), requests=0)


def _steps(reading: Reading) -> float:
    if reading.source == "window":
        return reading.drafts or 0
    return reading.weight if reading.source == "decode" else 0


def contradicts(log: Counters, counted: Counters, most: int) -> bool:
    """True when the log's accept length differs from the counters' by more than rounding and other steps explain.

    The first record may hold steps before the probe, and the last steps may be in no record: as many as the largest
    record has, though their numbers balance. Each such step moves the mean by at most `most` - 1 tokens (`most` is what
    a step can yield), so the steps that only one of the two has bound what is no contradiction.
    Counters without proposed drafts come from the shown text, where the last step of each request may be cut.
    """
    if not log.steps or log.accepted is None or not counted.steps or counted.accepted is None:
        return False
    share = log.steps / counted.steps
    if not _LEAST <= share <= _MOST:
        return False
    cut = counted.requests / counted.steps if counted.proposed is None else 0.0
    edge = (log.decode_steps or 0) / counted.steps
    allowed = _ROUNDING + (max(abs(1 - share), edge) + cut) * (most - 1)
    return abs(log.accepted / log.steps - counted.accepted / counted.steps) > allowed
