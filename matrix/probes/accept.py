"""The accept-length probe: ask each prompt, and read the engine's own counters around it."""

from dataclasses import replace

from matrix.core.counters import Counters
from matrix.core.result import Sample
from matrix.core.workload import Prompt
from matrix.probes.client import Completion
from matrix.probes.flags import COUNTERS_DISAGREE, Asked, sample_flags
from matrix.probes.pooled import run_window
from matrix.probes.probe import OnPrompt, Probe


def warm_up(probe: Probe) -> None:
    """Requests whose results are thrown away: the first ones pay for compilation."""
    prompts = probe.workload.prompts
    for i in range(probe.workload.warmup):
        probe.ask(prompts[i % len(prompts)])


def run_probe(probe: Probe, on_prompt: OnPrompt = lambda sample: None) -> list[Sample]:
    """One sample for each prompt and repetition, in order; `on_prompt` gets each as soon as it is taken.

    With more than one request in flight no scrape belongs to one prompt: see `matrix.probes.pooled`. Warming up is the
    caller's. Raises `EngineFaultError` at the first request without a usable answer; the samples taken before it were
    handed to `on_prompt`.
    """
    samples: list[Sample] = []
    for repetition in range(probe.workload.repetitions):
        if probe.workload.concurrency > 1:
            samples += run_window(probe, repetition, on_prompt)
            continue
        for prompt in probe.workload.prompts:
            sample = _measure(probe, prompt, repetition)
            on_prompt(sample)
            samples.append(sample)
    return samples


def _measure(probe: Probe, prompt: Prompt, repetition: int) -> Sample:
    before = probe.read()
    answer = probe.ask(prompt)
    grown, settled = probe.settled(before, answer.completion_tokens)
    grown = replace(grown, requests=1)
    own = _own(probe, answer, grown)
    value = own or replace(grown, completion_tokens=answer.completion_tokens)
    asked = Asked(probe.spec, probe.workload.max_tokens, answer.completion_tokens, settled, probe.sure)
    flags = sample_flags(asked, value, grown, compare=own is not None)
    if COUNTERS_DISAGREE not in flags and probe.contradicts(answer):
        flags = (*flags, COUNTERS_DISAGREE)
    return replace(probe.sample(prompt, repetition, answer, value), cross_check=grown, flags=flags)


def _own(probe: Probe, answer: Completion, grown: Counters) -> Counters | None:
    """The response's own counters; decode steps, where it lacks them, from the scrapes."""
    own = probe.own(answer)
    return own if own is None or own.decode_steps is not None else replace(own, decode_steps=grown.decode_steps)
