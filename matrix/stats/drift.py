"""A fall with the server's uptime, told from a fall with the revision."""

from matrix.stats.settings import DEFAULTS
from matrix.stats.sides import Side


def drift_words(side: Side) -> str:
    """How the accept length moved while the server stayed busy, if it did beyond noise; else empty."""
    life = side.life
    if life is None or not life.drift or life.first is None or life.last is None:
        return ""
    word = "falls" if life.last < life.first else "rises"
    return f"accept length {word} with uptime, {life.first:.2f} -> {life.last:.2f} within {life.minutes:g} minutes"


def drift_explains(before: Side, after: Side, relevant: float = DEFAULTS.relevant) -> str:
    """A sentence when the later run falls with uptime and, fresh, was as good as the earlier one; else empty.

    `relevant` is the smallest relative change of accept length that matters.
    """
    life, words = after.life, drift_words(after)
    fresh = before.life.first if before.life and before.life.first is not None else before.accept_length
    if not words or life is None or life.first is None or life.last is None or fresh is None:
        return ""
    restored = life.first >= fresh * (1 - relevant)
    return f"{words}; a restart restores it" if restored and life.last < life.first else ""
