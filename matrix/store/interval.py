"""95 % intervals over prompts of a pooled ratio."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TypeVar

from matrix.core.counters import Counters, accept_length, combine, subtract

Part = TypeVar("Part")


def accept_interval(prompts: Sequence[Counters], *, draftless: bool) -> tuple[float | None, float | None]:
    """Interval of the pooled accept length, the prompt being the unit; (None, None) below two prompts."""
    total = combine(prompts)
    left_out = [accept_length(subtract(total, part), draftless=draftless) for part in prompts]
    return jackknife(accept_length(total, draftless=draftless), left_out, floor=1.0)


def jackknife(
    value: float | None, left_out: Sequence[float | None], floor: float = 0.0
) -> tuple[float | None, float | None]:
    """value +- t * se, with se from the values that leave out one unit each (delete-one jackknife, Tukey 1958).

    Ends below `floor`, the least value there can be, are drawn in to it.

    For units of equal weight this is the plain t interval of their mean. A mean of ratios would weigh prompts with few
    verify steps too much, and its interval may miss the pooled value.
    """
    known = [v for v in left_out if v is not None]
    n = len(known)
    if value is None or n < 2 or n != len(left_out):
        return None, None
    mean = sum(known) / n
    se = sqrt((n - 1) / n * sum((v - mean) ** 2 for v in known))
    half = _t975(n - 1) * se
    return max(value - half, floor), value + half


def leave_one_out(parts: Sequence[Part], value: Callable[[Sequence[Part]], float | None]) -> list[float | None]:
    """`value` of all parts but the first, all but the second, ..."""
    return [value([*parts[:i], *parts[i + 1 :]]) for i in range(len(parts))]


def _t975(df: int) -> float:
    """The 97.5 % quantile of Student's t with `df` degrees of freedom."""
    # scipy takes a good part of a second to import; only pages with intervals need it.
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.975))
