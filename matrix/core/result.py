"""What one run gives back."""

from dataclasses import dataclass, field
from typing import Any

from matrix.core.cell import Cell
from matrix.core.counters import Counters, combine
from matrix.core.failure import Failure as Failure  # noqa: PLC0414 - part of a result
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One generated token of a baseline: its text, its log-probability, and the likeliest tokens with theirs (nats)."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """First place where two greedy texts differ; `token_index` is None where the baseline's tokens are unknown.

    `gap` is the baseline's log-probability of its own token minus that of the other text's token, in nats;
    `at_least` is True when the other token was not among the alternatives, so the gap is a lower bound.
    """

    token_index: int | None
    gap: float | None
    at_least: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """One prompt's raw counters in one repetition. `seconds` is the request's wall time."""

    prompt_id: str
    kind: str
    repetition: int
    concurrency: int
    counters: Counters
    seconds: float
    text: str
    text_hash: str
    cross_check: Counters | None = None
    flags: tuple[str, ...] = ()
    divergence: Divergence | None = None
    alternatives: tuple[Alternatives, ...] = ()


POOLED = "pooled"
"""Prompt id of the sample that stands for a whole window of requests in flight together: it is no prompt."""


@dataclass(frozen=True, slots=True)
class Uptime:
    """Accept length early and late in one server's life, the same prompts asked over and over.

    `first` and `last` are the counters of the first and the last tenth of `minutes`, `rounds` how often the prompts
    were asked in all. `change` is the mean relative change of the accept length (-0.1: it fell by a tenth) with its
    95 % interval `low` to `high`; `drift` is True when it is more than noise. None means that no counter allows it.
    """

    minutes: float
    rounds: int
    first: Counters
    last: Counters
    change: float | None = None
    low: float | None = None
    high: float | None = None
    drift: bool = False


@dataclass(frozen=True, slots=True)
class RunResult:
    """One attempt at a cell; stored once and never changed. Times are seconds, clocks are Unix time (UTC).

    `flags` name what is odd about the run as a whole (`matrix.core.oddities`); the reason says it in words.
    """

    run_id: str
    cell: Cell
    content_key: str
    recipe_text: str
    probe_version: str
    outcome: Outcome
    reason: str
    started_at: float
    finished_at: float
    samples: tuple[Sample, ...] = ()
    failure: Failure | None = None
    artifact: Artifact | None = None
    phases: tuple[tuple[str, float], ...] = ()
    resolved: dict[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    log_path: str | None = None
    noise: dict[str, float] = field(default_factory=dict)
    tool_version: str = ""
    flags: tuple[str, ...] = ()
    uptime: Uptime | None = None

    @property
    def counters(self) -> Counters:
        """Pooled counters of all samples."""
        return combine(s.counters for s in self.samples)

    @property
    def prompt_samples(self) -> tuple[Sample, ...]:
        """Samples that stand for one prompt each."""
        return tuple(s for s in self.samples if s.prompt_id != POOLED)

    def seconds(self, phase: str) -> float | None:
        """Duration of one phase (build, start, ready, warmup, probe, stop), None when it was not reached."""
        return dict(self.phases).get(phase)
