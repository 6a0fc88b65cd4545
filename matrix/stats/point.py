"""What the judge is told about one run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method


@dataclass(frozen=True, slots=True)
class RunPoint:
    """One run of a series, reduced to what its states depend on.

    `prompts` holds each prompt's raw counters, summed over repetitions; `flags` the sanity flags of its text (`loops`).
    `tok_s` and `baseline_tok_s` are output tokens per second of the same prompts with this cell's draft and without.
    `compared`, `diverged` and `wrong` count prompts: set against the baseline's text, parted from it, parted by more
    than a near-tie; whether that is wrong output the probe has decided, in `outcome`.
    `artifact` is the digest of what was served; `boot` the cell's boot ordinal.
    """

    run_id: str
    revision: str
    outcome: Outcome
    method: Method
    reason: str = ""
    k: int | None = None
    prompts: Mapping[str, Counters] = field(default_factory=dict)
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tok_s: Mapping[str, float] = field(default_factory=dict)
    baseline_tok_s: Mapping[str, float] = field(default_factory=dict)
    compared: int = 0
    diverged: int = 0
    wrong: int = 0
    artifact: str | None = None
    boot: int = 0
