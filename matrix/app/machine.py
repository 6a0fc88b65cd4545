"""What went wrong around a run rather than in the engine: such a run is no evidence, whatever it looks like."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.app.gpus import NO_LOAN, Loan
from matrix.core.cell import Cell
from matrix.core.errors import MatrixError
from matrix.core.model import Model
from matrix.core.outcome import Outcome, Tier
from matrix.core.result import Failure, RunResult
from matrix.sources import weights

LEAST_FREE = 2**20
"""Bytes. A server that cannot write its log dies, or dies without a word."""

_OF_FILES = re.compile(r"[0-9a-f]{64}")


def blamed_on_machine(result: RunResult, scratch: Path, loan: Loan = NO_LOAN) -> RunResult:
    """`result`, or the same run as `infra` when it says nothing about the engine.

    Weights that changed since the plan belong to another cell; on GPUs that another run took meanwhile everything is
    in doubt; a failure on a full disk may be the disk's.
    """
    fault = _lease_lost(loan) or _weights_changed(result.cell)
    fault = fault or (_disk_full(scratch) if _failed(result.outcome) else None)
    return result if fault is None else replace(result, outcome=fault.outcome, reason=fault.reason, failure=fault)


def _failed(outcome: Outcome) -> bool:
    return outcome.tier in (Tier.ENGINE, Tier.AMBIGUOUS)


def _lease_lost(loan: Loan) -> Failure | None:
    if not loan.lost.is_set():
        return None
    numbers = ", ".join(str(device.index) for device in loan.devices)
    cause = f"the lease of GPU {numbers} was lost while the run lasted: another run may have used it"
    hint = "this process was stopped or cut off from the database for longer than a lease lasts; run it again"
    return Failure(Outcome.INFRA, cause, hint, "lease-lost")


def _weights_changed(cell: Cell) -> Failure | None:
    for model in (cell.target, cell.spec.draft):
        if model is not None and _changed(model):
            cause = f"the files of {model.name} ({model.path}) changed while the sweep ran"
            return Failure(Outcome.INFRA, cause, "let them settle and run the sweep again", "weights-changed")
    return None


def _disk_full(scratch: Path) -> Failure | None:
    if shutil.disk_usage(scratch).free >= LEAST_FREE:
        return None
    cause = f"the disk that holds the server's log is full ({scratch})"
    return Failure(Outcome.INFRA, cause, "free space on it and run the sweep again", "disk-full")


def _changed(model: Model) -> bool:
    """True when the folder no longer holds what the plan hashed. Models of a hub are pinned by their commit instead."""
    if not _OF_FILES.fullmatch(model.content or ""):
        return False
    try:
        return weights.content_hash(Path(model.path), cache_dir()) != model.content
    except MatrixError:
        return True
