"""Moments as the command line writes them."""

from datetime import UTC, datetime


def day(until: float | None) -> str:
    """`until 2027-01-31 00:00 UTC`, or `for good` for None."""
    return "for good" if until is None else f"until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC"
