"""A run's result as a row of the table `runs`: redacted, cleaned, with the sums of its samples."""

from typing import Any

from matrix.core.cell import Cell
from matrix.core.model import Model
from matrix.core.recipe import Artifact
from matrix.core.result import RunResult, Sample
from matrix.store.cellio import cell_to_json
from matrix.store.redact import redact, redact_args, redact_value
from matrix.store.samplerow import Values, counters_to_row
from matrix.store.texts import stored_text
from matrix.store.uptime import uptime_to_json

REASON_CAP = 4096


def run_to_row(result: RunResult) -> Values:
    """All columns that follow from the result itself; the caller adds references and `sweep_id`."""
    failure = result.failure
    return {
        "run_id": result.run_id,
        "content_key": result.content_key,
        **_cell_columns(result.cell),
        "recipe_text": stored_text(result.recipe_text),
        "probe_version": result.probe_version,
        "outcome": result.outcome.value,
        "reason": stored_text(result.reason, REASON_CAP),
        "next_step": stored_text(failure.next_step, REASON_CAP) if failure else "",
        "signature": stored_text(failure.signature, REASON_CAP) if failure else "",
        "excerpt": stored_text(failure.excerpt) if failure else "",
        **_sample_columns(result),
        "flags": list(result.flags),
        "uptime": uptime_to_json(result.uptime),
        "noise": result.noise,
        "phases": [list(phase) for phase in result.phases],
        "resolved": redact_value(result.resolved),
        "command": redact_args(result.command),
        **_artifact_columns(result.artifact),
        "evidence": "measured",
        "started_at": result.started_at,
        "finished_at": result.finished_at,
        "tool_version": result.tool_version,
    }


def _cell_columns(cell: Cell) -> Values:
    return {
        "series_key": cell.series_key,
        "baseline_key": cell.baseline.series_key,
        "engine": cell.revision.engine,
        "revision": cell.revision.version,
        "boot": cell.boot,
        "install": cell.install,
        "executor": cell.executor,
        **_model_columns("target", cell.target),
        **_model_columns("draft", cell.spec.draft),
        "spec": cell.spec.name,
        "method": cell.spec.method.value,
        "k": cell.spec.k,
        "topk": cell.spec.topk,
        "draft_tokens": cell.spec.draft_tokens,
        "launch": redact(cell.launch.label),
        "workload": cell.workload.name,
        "workload_content": cell.workload.content,
        "kind": cell.workload.kind,
        "concurrency": cell.workload.concurrency,
        "hardware": cell.hardware.label,
        "cell": redact_value(cell_to_json(cell)),
    }


def _model_columns(role: str, model: Model | None) -> Values:
    return {
        role: model.name if model else None,
        f"{role}_source": redact(model.source) if model else None,
        f"{role}_content": model.content if model else None,
    }


def _sample_columns(result: RunResult) -> Values:
    single = [sample for sample in result.samples if sample.concurrency == 1]
    return {
        "samples": len(result.prompt_samples),
        **counters_to_row(result.counters),
        "single_tokens": _tokens(single),
        "single_seconds": sum(sample.seconds for sample in single) if single else None,
    }


def _tokens(samples: list[Sample]) -> int | None:
    known = [n for sample in samples if (n := sample.counters.completion_tokens) is not None]
    return sum(known) if known and len(known) == len(samples) else None


def _artifact_columns(artifact: Artifact | None) -> Values:
    row: dict[str, Any] = {
        "artifact_kind": artifact.kind if artifact else None,
        "artifact_ref": redact(artifact.ref) if artifact else None,
        "artifact_digest": artifact.digest if artifact else None,
        "artifact_reused": artifact.reused if artifact else None,
    }
    return row | {"artifact_notes": [redact(note) for note in artifact.notes] if artifact else []}
