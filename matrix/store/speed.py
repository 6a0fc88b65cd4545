"""Tokens a second: sums before division, one request in flight."""

from collections.abc import Iterable


def rate(tokens: int | None, seconds: float | None) -> float | None:
    """tokens / seconds; None where either is unknown or no time passed."""
    return None if tokens is None or not seconds else tokens / seconds


def pooled(parts: Iterable[tuple[int | None, float]]) -> tuple[int | None, float]:
    """Sums of tokens and seconds; one unknown token count makes the sum unknown."""
    tokens: int | None = 0
    total = 0.0
    for count, seconds in parts:
        tokens = None if tokens is None or count is None else tokens + count
        total += seconds
    return tokens, total


def ratio(value: float | None, base: float | None) -> float | None:
    """value / base, the speed-up; None where either is unknown or the base is zero."""
    return None if value is None or not base else value / base
