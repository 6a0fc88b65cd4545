"""Shapes of what the store hands to pages, API and CLI. Plain data; times are Unix seconds (UTC), durations seconds.

A value that was not measured is None.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One run, as `matrix results --json` prints it; the field names are a contract."""

    run_id: str
    engine: str
    revision: str
    target: str
    draft: str | None
    method: str
    k: int | None
    steps: int | None
    topk: int | None
    draft_tokens: int | None
    launch: str
    workload: str
    kind: str
    concurrency: int
    executor: str
    hardware: str
    outcome: str
    tier: str
    accept_length: float | None
    per_position: list[float] | None
    acceptance_rate: float | None
    verify_steps: int | None
    proposed: int | None
    accepted: int | None
    output_tok_s: float | None
    baseline_tok_s: float | None
    speedup: float | None
    samples: int
    build_s: float | None
    start_s: float | None
    probe_s: float | None
    artifact: str | None
    reason: str
    evidence: str
    finished_at: float
    spec: str = ""
    series_key: str = ""
    boot: int = 0
    flags: list[str] | None = None


@dataclass(frozen=True, slots=True)
class UptimeView:
    """Accept length in the first and the last tenth of `minutes`: see `matrix.core.result.Uptime`."""

    minutes: float
    rounds: int
    first: float | None
    last: float | None
    change: float | None
    low: float | None
    high: float | None
    drift: bool


@dataclass(frozen=True, slots=True)
class VerdictView:
    """State of one metric at one revision: see `matrix.core.state.Verdict`."""

    metric: str
    state: str
    reason: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FlipView:
    """One flip with the series it belongs to; `series` is readable: engine / target / spec / workload.

    `acknowledged` is set by `matrix.app.attribute`, which finds what an acknowledgement covers.
    """

    flip_id: int
    series_key: str
    series: str
    engine: str
    target: str
    draft: str | None
    method: str
    spec: str
    metric: str
    change: str
    from_revision: str
    to_revision: str
    before: str
    after: str
    reason: str
    from_run: str | None
    to_run: str | None
    standing: bool
    created_at: float
    acknowledged: bool = False
    workload: str = ""


@dataclass(frozen=True, slots=True)
class Square:
    """One field of the heatmap. `state`: worst known state of its metrics; `phase` is set while a run is under way."""

    revision: str
    state: str
    text: str
    reason: str
    run_id: str | None
    accept_length: float | None
    speedup: float | None
    phase: str | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """One line of the heatmap: a series and its squares, ordered as `Heatmap.revisions` (None: not planned there)."""

    series_key: str
    target: str
    draft: str | None
    method: str
    spec: str
    k: int | None
    launch: str
    workload: str
    hardware: str
    executor: str
    squares: list[Square | None]


@dataclass(frozen=True, slots=True)
class Heatmap:
    """`rows` may be fewer than the `total` of series that fit; `older` counts the revisions before those shown."""

    engine: str
    revisions: list[str]
    rows: list[SeriesRow]
    total: int = 0
    older: int = 0


@dataclass(frozen=True, slots=True)
class JobView:
    """One planned or running cell of a sweep. `status`: queued, claimed, done, cancelled."""

    job_id: int
    label: str
    engine: str
    revision: str
    target: str
    spec: str
    status: str
    phase: str | None
    phase_detail: str
    phase_at: float | None
    started_at: float | None
    run_id: str | None
    outcome: str | None
    reason: str
    accept_length: float | None


@dataclass(frozen=True, slots=True)
class SweepView:
    """`status`: running, done, interrupted, failed. `eta_s` is None while nothing allows an estimate."""

    sweep_id: int
    status: str
    created_at: float
    finished_at: float | None
    total: int
    done: int
    eta_s: float | None
    jobs: list[JobView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Overview:
    """The first page: what regressed, the matrix, the sweep under way or last done."""

    regressions: list[FlipView]
    fixed: list[FlipView]
    heatmaps: list[Heatmap]
    sweep: SweepView | None
    runs: int


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One revision of a series. `low`, `high`: 95 % interval of the accept length over prompts."""

    revision: str
    run_id: str
    outcome: str
    accept_length: float | None
    low: float | None
    high: float | None
    output_tok_s: float | None
    tok_s_low: float | None
    tok_s_high: float | None
    baseline_tok_s: float | None
    speedup: float | None
    finished_at: float
    verdicts: list[VerdictView]


@dataclass(frozen=True, slots=True)
class SeriesView:
    """`revisions` counts all that the series was run at; `points` may be the newest of them."""

    series_key: str
    title: str
    engine: str
    target: str
    draft: str | None
    method: str
    spec: str
    k: int | None
    launch: str
    workload: str
    hardware: str
    executor: str
    points: list[SeriesPoint]
    flips: list[FlipView]
    revisions: int = 0


@dataclass(frozen=True, slots=True)
class SampleView:
    """One prompt of a run; `gap` in nats at the first divergence from the baseline's text."""

    prompt_id: str
    kind: str
    repetition: int
    concurrency: int
    accept_length: float | None
    tokens_per_step: float | None
    steps: int | None
    proposed: int | None
    accepted: int | None
    completion_tokens: int | None
    seconds: float
    tok_s: float | None
    flags: list[str]
    diverged_at: int | None
    gap: float | None
    gap_at_least: bool
    text: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class RunView:
    """All of one run: its row, verdicts, samples, timings, resolved settings, lock, command and log."""

    row: ResultRow
    verdicts: list[VerdictView]
    samples: list[SampleView]
    phases: list[tuple[str, float]]
    resolved: dict[str, Any]
    lock: list[str]
    command: list[str]
    reproduce: str
    next_step: str
    signature: str
    excerpt: str
    log_ref: str | None
    log_bytes: int | None
    content_key: str
    recipe_text: str
    models: dict[str, str | None]
    started_at: float
    tool_version: str
    probe_version: str
    baseline_run: str | None
    uptime: UptimeView | None = None
