"""The order of revisions and of attempts, and which series are followed."""

from functools import lru_cache
from typing import Any

from packaging.version import InvalidVersion, Version
from sqlalchemy import ColumnElement

from matrix.core.cell import ASIDE
from matrix.core.outcome import Outcome


@lru_cache(maxsize=16384)
def revision_key(revision: str) -> tuple[bool, Version, str]:
    """Sort key of a revision: PEP 440 order; what is no version comes last, by its text."""
    try:
        return False, Version(revision), revision
    except InvalidVersion:
        return True, Version("0"), revision


def recency_key(run: Any) -> tuple[bool, float, int]:
    """Sort key of attempts at one cell, the one to show last: an infra failure never hides a measured run."""
    return Outcome(run.outcome).measured, run.finished_at, run.id


def followed(series_key: Any) -> ColumnElement[bool]:
    """Condition on a column of series keys: runs with pinned packages are trials of a bisection, in no series."""
    found: ColumnElement[bool] = ~series_key.startswith(ASIDE, autoescape=True)
    return found
