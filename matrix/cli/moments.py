"""Moments as the command line writes them."""

from datetime import UTC, datetime


def day(until: float | None) -> str:
    """`until 2027-01-31 00:00 UTC`, or `for good` for None."""
    return "for good" if until is None else f"until {moment(until)}"


def moment(at: float) -> str:
    """`2027-01-31 00:00 UTC` for Unix seconds."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
