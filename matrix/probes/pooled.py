"""Several requests in flight: the scraped counters belong to all of them together."""

import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace

from matrix.core.counters import Counters, combine
from matrix.core.result import POOLED, Sample
from matrix.core.workload import Prompt
from matrix.probes.client import Completion
from matrix.probes.faults import EngineFaultError
from matrix.probes.flags import SHORT, Asked, sample_flags
from matrix.probes.probe import OnPrompt, Probe

_SILENT = Counters(requests=0)


def run_window(probe: Probe, repetition: int, on_prompt: OnPrompt) -> list[Sample]:
    """The prompts' samples in workload order, then one pseudo-sample `pooled` for the whole window.

    Where every response carries its own counters these are the samples' values and the window is the cross-check of the
    pooled one; otherwise the pooled sample holds the window's counters. Samples without a value speak for no request
    (`requests` 0), so that summing all samples counts each request once. The pooled `seconds` are the window's.
    """
    before, start = probe.read(), time.monotonic()
    answers = _ask_all(probe, repetition, on_prompt)
    seconds = time.monotonic() - start
    tokens = sum(answer.completion_tokens for _, answer in answers)
    grown, settled = probe.settled(before, tokens)
    grown = replace(grown, requests=len(answers))
    samples = [sample for sample, _ in answers]
    own = combine(sample.counters for sample in samples) if all(s.counters.requests for s in samples) else None
    if own is None:
        samples = [replace(sample, counters=_SILENT) for sample in samples]
    value = own or replace(grown, completion_tokens=tokens)
    asked = Asked(probe.spec, probe.workload.max_tokens, tokens, settled, probe.sure)
    flags = sample_flags(asked, value, grown, compare=value is own)
    whole = Completion(text="", completion_tokens=tokens, seconds=seconds)
    pooled = probe.sample(Prompt(POOLED, POOLED, ""), repetition, whole, _SILENT if value is own else value)
    on_prompt(pooled := replace(pooled, cross_check=grown, flags=flags))
    return [*samples, pooled]


def _ask_all(probe: Probe, repetition: int, on_prompt: OnPrompt) -> list[tuple[Sample, Completion]]:
    """Every prompt's sample and answer in workload order; `on_prompt` hears of them in the order of their ends."""
    done: dict[int, tuple[Sample, Completion]] = {}

    def keep(index: int, answer: Completion) -> None:
        sample = _prompt_sample(probe, probe.workload.prompts[index], repetition, answer)
        done[index] = (sample, answer)
        on_prompt(sample)

    pool = ThreadPoolExecutor(probe.workload.concurrency)
    running = {pool.submit(probe.ask, prompt): i for i, prompt in enumerate(probe.workload.prompts)}
    try:
        for future in as_completed(running):
            keep(running[future], future.result())
    except EngineFaultError:
        for future, index in running.items():
            if index not in done and _good(future):
                keep(index, future.result())
        raise
    finally:
        # Not waited for: after an error or Ctrl-C the requests in flight end when their server is stopped.
        pool.shutdown(wait=False, cancel_futures=True)
    return [done[i] for i in sorted(done)]


def _good(future: Future[Completion]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _prompt_sample(probe: Probe, prompt: Prompt, repetition: int, answer: Completion) -> Sample:
    own = probe.own(answer)
    if own is not None and own.decode_steps is None and probe.spec.method.counts_draftless_steps:
        own = None  # its steps with a draft alone would overstate the length
    flags = (SHORT,) if answer.completion_tokens < probe.workload.max_tokens else ()
    return replace(probe.sample(prompt, repetition, answer, own or _SILENT), flags=flags)
