"""Stored histories for whoever judges and explains: runs with sixteen prompts around an accept length."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from matrix.app.judging import judge_all
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact
from matrix.core.result import RunResult, Sample
from matrix.core.revision import Revision
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store
from tests.store import build

PROMPTS = 16
STEPS = 400
SPREAD = tuple(1 + 0.02 * (i - 7.5) / 7.5 for i in range(PROMPTS))
"""Prompts differ by up to 2 % from their mean."""

WORKLOAD = Workload("standard", tuple(Prompt(f"p{i:02}", "code", f"prompt {i}") for i in range(PROMPTS)), 128)
GPU = Hardware("Xeon", 16, "H200", 1, "570.10", "12.8")


def model(name: str, content: str = "") -> Model:
    return Model(name, f"/models/{name}", name, (content or name).ljust(64, "0"))


def cell(
    version: str,
    *,
    engine: str = "sglang",
    target: str = "Qwen2.5-VL-7B",
    draft: str | None = "qwen-eagle3",
    draft_content: str = "",
    method: Method = Method.EAGLE3,
    k: int = 4,
    **more: Any,
) -> Cell:
    """A cell of a release; `more` replaces fields of the cell."""
    proposer = model(draft, draft_content) if draft else None
    spec = SpecConfig(f"{method}-k{k}", method, proposer, k) if method is not Method.NONE else build.BASELINE
    made = Cell(Revision(engine, version), model(target), spec, LaunchOptions(), WORKLOAD, GPU, "venv", "pip")
    return replace(made, **more)


def samples(values: Sequence[float], steps: int = STEPS, k: int = 4) -> tuple[Sample, ...]:
    """One sample a prompt with that accept length, exact to 1 / steps."""
    return tuple(_sample(i, value, steps, k) for i, value in enumerate(values))


def around(length: float) -> list[float]:
    return [1 + (length - 1) * share for share in SPREAD]


def served(
    store: Store, of: Cell, length: float, *, at: float, values: Sequence[float] | None = None, **more: Any
) -> str:
    """Store a run that ended in `ok` with this accept length (k as the cell has it); returns its id."""
    found = samples(values or around(length), k=of.spec.k or 4)
    return _save(store, build.run(_run_id(of, at), of, **_usual(of, at, {"samples": found} | more)))


def ended(store: Store, of: Cell, outcome: Outcome, *, at: float, **more: Any) -> str:
    """Store a run that ended otherwise."""
    return _save(store, build.run(_run_id(of, at), of, outcome=outcome, **_usual(of, at, more)))


def judged(store: Store) -> Store:
    judge_all(store)
    return store


def _sample(i: int, value: float, steps: int, k: int) -> Sample:
    accepted = round((value - 1) * steps)
    counters = Counters(steps, k * steps, accepted, None, steps, steps + accepted + 1)
    return Sample(f"p{i:02}", "code", 0, 1, counters, 2.0, f"text {i}", "d" * 64)


def _run_id(of: Cell, at: float) -> str:
    return f"{of.series_key[:6]}-{of.revision.version}-{of.boot}-{at:.0f}"


def _usual(of: Cell, at: float, more: dict[str, Any]) -> dict[str, Any]:
    """Each release has an artifact and a lock of its own, and tells k."""
    version = of.revision.version
    lock = (f"{of.revision.engine}=={version}", "torch==2.9.0")
    artifact = Artifact("venv", f"/env/{version}", f"digest of {of.revision}".ljust(64, "."), lock, 1.0, False)
    return {"artifact": artifact, "resolved": {"k": of.spec.k, "version": version}, "noise": {}, "at": at} | more


def _save(store: Store, result: RunResult) -> str:
    store.runs.save(result)
    return result.run_id
