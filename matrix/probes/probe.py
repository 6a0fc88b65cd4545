"""What stays the same over one probe, and the two things done with it: ask, and read counters."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from matrix.core.counters import Counters, subtract
from matrix.core.recipe import CounterMap
from matrix.core.result import Sample
from matrix.core.spec import BASELINE, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.probes.client import Client, Completion, Rendered
from matrix.probes.metrics import read_counters

Render = Callable[[Prompt], Rendered]
OnPrompt = Callable[[Sample], None]

_BLIND_S = 0.3  # where no token counter shows when to stop waiting: statistics follow an answer within this time


@dataclass(frozen=True, slots=True)
class Probe:
    """`settle_s` is how long counters may lag behind an answer."""

    client: Client
    workload: Workload
    render: Render
    names: CounterMap
    spec: SpecConfig = BASELINE
    settle_s: float = 2.0

    @property
    def sure(self) -> int:
        """Tokens that a verify step of this server yields whatever the draft."""
        return self.names.own.sure if self.names.own else 1

    def ask(self, prompt: Prompt, *, logprobs: int | None = None) -> Completion:
        return self.client.complete(self.render(prompt), self.workload.max_tokens, logprobs=logprobs)

    def own(self, answer: Completion) -> Counters | None:
        """The answer's own counters, None where this release's answers carry none."""
        return self.client.own_counters(answer, self.names.own) if self.names.per_request else None

    def contradicts(self, answer: Completion) -> bool:
        """True when the answer's own mean disagrees with its own counters."""
        return self.names.per_request and self.client.contradicts(answer, self.names.own)

    def read(self) -> Counters:
        return read_counters(self.client.scrape(), self.names)

    def settled(self, before: Counters, tokens: int) -> tuple[Counters, bool]:
        """Growth since `before`, read once it covers `tokens`, and whether it came to that within `settle_s`."""
        if before.completion_tokens is None:
            if before.steps is not None:
                time.sleep(_BLIND_S)
            return subtract(self.read(), before), True
        end, pause = time.monotonic() + self.settle_s, 0.01
        while True:
            grown = subtract(self.read(), before)
            if grown.completion_tokens is None or grown.completion_tokens >= tokens:
                return grown, True
            if time.monotonic() >= end:
                return grown, False
            time.sleep(pause)
            pause = min(pause * 2, 0.2)

    def sample(self, prompt: Prompt, repetition: int, answer: Completion, counters: Counters) -> Sample:
        """A sample without flags and cross-check."""
        return Sample(
            prompt_id=prompt.id,
            kind=prompt.kind,
            repetition=repetition,
            concurrency=self.workload.concurrency,
            counters=counters,
            seconds=answer.seconds,
            text=answer.text,
            text_hash=hashlib.sha256(answer.text.encode("utf-8", "surrogatepass")).hexdigest(),
        )
