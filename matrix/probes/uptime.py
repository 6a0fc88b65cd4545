"""Accept length over a server's life: the same prompts asked over and over, which also keeps the server busy."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from matrix.core.counters import Counters
from matrix.core.result import Sample
from matrix.probes.accept import run_probe
from matrix.probes.flags import TAINTED
from matrix.probes.probe import Probe

WINDOW = 0.1
"""Share of the whole time at its beginning and at its end that are compared: of ten minutes the first and the last."""

Round = Mapping[str, Counters]
"""Counters of one round by prompt; those of requests in flight together are one entry (`pooled`)."""


@dataclass(slots=True)
class Followed:
    """Rounds that began in the first and in the last window, and how many there were in all."""

    first: list[Round] = field(default_factory=list)
    last: list[Round] = field(default_factory=list)
    rounds: int = 0


def follow(
    probe: Probe,
    minutes: float,
    on_round: Callable[[float], None] = lambda seconds: None,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Followed:
    """Ask all prompts again and again for so many minutes, and until a round has begun in the last window.

    `on_round` is told the seconds gone by at the begin of each. Samples whose counters hold others' requests are left
    out. Raises `EngineFaultError` at the first request without a usable answer.
    """
    once = replace(probe, workload=replace(probe.workload, repetitions=1))
    span, start, found = 60 * minutes, clock(), Followed()
    while not found.last or clock() - start < span:
        began = clock() - start
        on_round(began)
        counted = _counted(run_probe(once))
        found.rounds += 1
        if began < WINDOW * span or not found.first:
            found.first.append(counted)
        elif began >= (1 - WINDOW) * span:
            found.last.append(counted)
    return found


def _counted(samples: list[Sample]) -> Round:
    return {s.prompt_id: s.counters for s in samples if s.counters.requests and not TAINTED & set(s.flags)}
