"""One run of the kind that `benchmarks.bigrows` multiplies: its lock, and the samples of its prompts."""

import hashlib

from matrix.core.cell import Cell
from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact
from matrix.core.result import RunResult, Sample

PROMPTS, K, TOKENS = 16, 4, 128
LOCK = tuple(f"package-{n}==1.{n}.0" for n in range(150))


def run_of(cell: Cell) -> RunResult:
    """A run of the cell that went well and has no samples yet."""
    return RunResult(
        run_id="",
        cell=cell,
        content_key="",
        recipe_text=f"pip install {cell.revision.engine}",
        probe_version="1",
        outcome=Outcome.OK,
        reason="",
        started_at=0.0,
        finished_at=0.0,
        artifact=Artifact("venv", "/cache/environment", "c" * 64, LOCK, 60.0, False, ()),
        phases=(("build", 60.0), ("start", 30.0), ("ready", 4.0), ("warmup", 1.0), ("probe", 20.0), ("stop", 2.0)),
        resolved={"k": K, "attention_backend": "flashinfer"},
        command=("python", "-m", "server", "--model", cell.target.name),
        noise={"speed": 0.01},
        tool_version="0.1.0",
    )


def samples_of(length: float | None, variant: int) -> tuple[Sample, ...]:
    """Samples of every prompt at about this accept length; None is a baseline's."""
    return tuple(_sample(i, length, variant) for i in range(PROMPTS))


def _sample(prompt: int, length: float | None, variant: int) -> Sample:
    """Prompts differ by up to a tenth; a variant is up to 1 % off, each prompt by its own amount."""
    off = 1 + 0.1 * (prompt - 7.5) / 7.5 + 0.01 * ((variant * 31 + prompt * 17) % 21 - 10) / 10
    text = f"answer {prompt} of variant {variant}"
    if length is None:
        counters = Counters(completion_tokens=TOKENS)
    else:
        steps = round(TOKENS / (1 + (length - 1) * off))
        accepted = round((length - 1) * off * steps)
        shares = (0.45, 0.28, 0.17, 0.1)
        positions = tuple(round(accepted * share) for share in shares)
        counters = Counters(steps, K * steps, accepted, positions, steps, TOKENS)
    seconds = TOKENS / (80.0 * (1.0 if length is None else 0.75 * length) * (2 - off))
    return Sample(f"p{prompt:02}", "code", 0, 1, counters, seconds, text, hashlib.sha256(text.encode()).hexdigest())
