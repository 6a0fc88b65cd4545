"""Accept length from the log, for engines whose counters cannot be used elsewhere: one pooled sample for a whole run.

vLLM's V0 engine logs its running totals every few seconds, and only while it generates. So before and after the probe
the server is asked for next to nothing until fresh totals stand in the log, and the two are subtracted.
"""

import time
from dataclasses import replace

from matrix.app.record import Record
from matrix.core.counters import Counters, combine, subtract
from matrix.core.result import POOLED, Sample
from matrix.core.workload import Prompt
from matrix.engines.vllm_v0 import totals
from matrix.probes.answer import Completion, Rendered
from matrix.probes.flags import NO_COUNTERS, Asked, sample_flags
from matrix.probes.probe import Probe

PATIENCE_S = 40.0
_SILENT = Counters(requests=0)
_NUDGE, _TOKENS = Rendered("Hello"), 2  # one token from the prefill, one verify step
_FRESH = 2
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


def mark(record: Record, probe: Probe, *, patience_s: float = PATIENCE_S) -> Counters | None:
    """The running totals before the probe; None where the log shows none within `patience_s` seconds.

    Raises EngineFaultError when the server fails meanwhile.
    """
    return _fresh_total(record, probe, patience_s)


def add_logged(record: Record, probe: Probe, before: Counters | None, *, patience_s: float = PATIENCE_S) -> None:
    """Put the growth of the log's totals since `before` on one pooled sample; the prompts' own keep text and time.

    Nothing is known (None) without totals before and after. Raises EngineFaultError when the server fails meanwhile.
    """
    after = _fresh_total(record, probe, patience_s) if before else None
    grown = subtract(after, before) if after and before else Counters()
    prompts = [s for s in record.samples if s.prompt_id != POOLED]
    spoken = combine(s.counters for s in prompts).completion_tokens
    value = replace(grown, completion_tokens=spoken, requests=len(prompts))
    record.samples = [replace(s, counters=_SILENT, flags=_without(s)) for s in prompts]
    record.samples.append(_pooled(probe, prompts, value))


def _fresh_total(record: Record, probe: Probe, patience_s: float) -> Counters | None:
    """Running totals that hold all that was generated before this call.

    The engine collects them some time before it logs them, so the first record from now on may lack the latest steps;
    what the second one holds was collected after the first was logged.
    """
    last, news, pause = _last(record), 0, _FIRST_PAUSE_S
    end = time.monotonic() + patience_s
    while True:
        probe.client.complete(_NUDGE, _TOKENS)
        found = _last(record)
        if found != last:
            last, news = found, news + 1
        if news == _FRESH or time.monotonic() >= end:
            return last if news == _FRESH else None
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _last(record: Record) -> Counters | None:
    found = totals(record.log_text())
    return found[-1] if found else None


def _pooled(probe: Probe, prompts: list[Sample], value: Counters) -> Sample:
    tokens = value.completion_tokens or 0
    seconds = sum(s.seconds for s in prompts)
    asked = Asked(probe.spec, probe.workload.max_tokens, tokens)
    sample = probe.sample(Prompt(POOLED, POOLED, ""), 0, Completion("", tokens, seconds), value)
    return replace(sample, flags=sample_flags(asked, value, Counters(), compare=False))


def _without(sample: Sample) -> tuple[str, ...]:
    """The sample's flags less the one that misses counters: they are on the pooled sample."""
    return tuple(flag for flag in sample.flags if flag != NO_COUNTERS)
