"""How much a workload asks at once, and for how long: checks of keys that take more than one shape."""

from typing import Any

_MOST_IN_FLIGHT = 256
_LONGEST_MIN = 1440


def check_concurrency(value: Any) -> Any:
    """`value` unchanged if it is a number of requests in flight or a list of such; else ValueError."""
    asked = value if isinstance(value, list) else [value]
    if asked and all(_whole(n) and 1 <= n <= _MOST_IN_FLIGHT for n in asked):
        return value
    raise ValueError(
        f"expected a number from 1 to {_MOST_IN_FLIGHT} or a list of such (`[1, 8]`), not {str(value)[:60]}"
    )


def check_uptime(value: Any) -> Any:
    """`value` unchanged if it is true, false or a number of minutes; else ValueError."""
    number = isinstance(value, bool) or (isinstance(value, int | float) and 0 < value <= _LONGEST_MIN)
    if number:
        return value
    raise ValueError(f"expected true, false or minutes above 0 and up to {_LONGEST_MIN}, not {str(value)[:60]}")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
