"""Accept length from the log, for engines whose counters cannot be used elsewhere: one pooled sample for a whole run.

vLLM's V0 engine logs its running totals every few seconds, and only while it generates. So the last record before the
probe is subtracted from the first one after it, and the server is asked on until that one stands in the log.
"""

import time
from dataclasses import replace

from matrix.app.record import Record
from matrix.core.counters import Counters, combine, subtract
from matrix.core.result import POOLED, Sample
from matrix.core.workload import Prompt
from matrix.engines.vllm_v0 import totals
from matrix.probes.answer import Completion
from matrix.probes.flags import NO_COUNTERS, Asked, sample_flags
from matrix.probes.probe import Probe

_SILENT = Counters(requests=0)


def mark(record: Record) -> Counters:
    """The running totals before the probe; zeros where the log has no record yet, as at the server's start."""
    found = totals(record.log_text())
    return found[-1] if found else Counters(0, 0, 0, requests=0)


def add_logged(record: Record, probe: Probe, before: Counters, *, patience_s: float = 30.0) -> None:
    """Put the difference of the log's totals on one pooled sample; the prompts' own samples keep text and time.

    Nothing is known (None) where no record follows the probe within `patience_s` seconds of further requests. Raises
    EngineFaultError when the server fails meanwhile.
    """
    after = _next_total(record, probe, patience_s)
    grown = subtract(after, before) if after else Counters()
    prompts = [s for s in record.samples if s.prompt_id != POOLED]
    spoken = combine(s.counters for s in prompts).completion_tokens
    value = replace(grown, completion_tokens=spoken, requests=len(prompts))
    record.samples = [replace(s, counters=_SILENT, flags=_without(s)) for s in prompts]
    record.samples.append(_pooled(probe, prompts, value))


def _next_total(record: Record, probe: Probe, patience_s: float) -> Counters | None:
    """The first running total that is logged from now on."""
    known, end = totals(record.log_text())[-1:], time.monotonic() + patience_s
    place = 0
    while time.monotonic() < end:
        probe.ask(probe.workload.prompts[place % len(probe.workload.prompts)])
        place += 1
        found = totals(record.log_text())
        if found[-1:] != known:
            return found[-1]
    return None


def _pooled(probe: Probe, prompts: list[Sample], value: Counters) -> Sample:
    tokens = value.completion_tokens or 0
    seconds = sum(s.seconds for s in prompts)
    asked = Asked(probe.spec, probe.workload.max_tokens, tokens)
    sample = probe.sample(Prompt(POOLED, POOLED, ""), 0, Completion("", tokens, seconds), value)
    return replace(sample, flags=sample_flags(asked, value, Counters(), compare=False))


def _without(sample: Sample) -> tuple[str, ...]:
    """The sample's flags less the one that misses counters: they are on the pooled sample."""
    return tuple(flag for flag in sample.flags if flag != NO_COUNTERS)
