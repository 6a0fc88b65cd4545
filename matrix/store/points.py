"""What the judge is handed about a series: plain counters a prompt, nothing derived."""

from dataclasses import dataclass, field
from typing import Any

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.result import Sample
from matrix.core.spec import Method


@dataclass(frozen=True, slots=True)
class PromptPoint:
    """One prompt of one run, its repetitions pooled. Speeds are tokens a second at concurrency 1, one a repetition.

    `gaps` are the log-probability gaps (nats) where the text left the baseline's, each with its `at_least` mark.
    """

    prompt_id: str
    kind: str
    counters: Counters
    tok_s: tuple[float, ...]
    baseline_tok_s: float | None
    flags: tuple[str, ...]
    gaps: tuple[tuple[float | None, bool], ...]


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """One run of a series, the newest at its revision and boot; `draftless`: see `Method.counts_draftless_steps`."""

    run_id: str
    revision: str
    boot: int
    outcome: Outcome
    reason: str
    signature: str
    method: Method
    draftless: bool
    k: int | None
    prompts: tuple[PromptPoint, ...]
    artifact_digest: str | None
    lock_ref: str | None
    resolved: dict[str, Any] = field(default_factory=dict)
    noise: dict[str, float] = field(default_factory=dict)
    baseline_run: str | None = None
    baseline_noise: dict[str, float] = field(default_factory=dict)
    evidence: str = "measured"
    finished_at: float = 0.0


@dataclass(frozen=True, slots=True)
class StoredBaseline:
    """The newest no-draft run beside a cell: samples with text and alternatives, tokens a second, measured noise."""

    run_id: str
    samples: tuple[Sample, ...]
    tok_s: float | None
    noise: dict[str, float]
    finished_at: float
