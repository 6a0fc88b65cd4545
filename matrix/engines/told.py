"""What the tables of quirks tell of one release."""

from packaging.version import InvalidVersion, Version

from matrix.engines import sglang_quirks, vllm_quirks
from matrix.engines.quirks import Quirk, span
from matrix.engines.release_dates import SGLANG, VLLM

_ROWS: dict[str, tuple[Quirk, ...]] = {"sglang": sglang_quirks.QUIRKS, "vllm": vllm_quirks.QUIRKS}
_DATES = {"sglang": SGLANG, "vllm": VLLM}

__all__ = ["quirks_at", "released", "span"]


def quirks_at(engine: str, version: str) -> tuple[Quirk, ...]:
    """The rows that hold for a version, in the order of the table; none for what is no version, or no known engine."""
    try:
        Version(version)
    except InvalidVersion:
        return ()
    return tuple(row for row in _ROWS.get(engine, ()) if row.holds(version))


def released(engine: str, version: str) -> str | None:
    """The day (YYYY-MM-DD) that the release's wheel was published; None where it is not known."""
    return _DATES.get(engine, {}).get(version)
