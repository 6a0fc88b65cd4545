"""A part that a test needs and a machine may lack: skip with the reason, or fail where MATRIX_REQUIRE names it."""

import os

import pytest


def required(part: str) -> bool:
    """True when MATRIX_REQUIRE holds `part` or `all`; then a skip would hide a hole, so it must fail."""
    wanted = os.environ.get("MATRIX_REQUIRE", "").replace(",", " ").split()
    return part in wanted or "all" in wanted


def require(part: str, ok: bool, reason: str) -> None:
    """Go on when `ok`; else skip naming `reason`, or fail when the part is required."""
    if ok:
        return
    if required(part):
        pytest.fail(f"{part} is required here: {reason}")
    pytest.skip(f"{part}: {reason}")
