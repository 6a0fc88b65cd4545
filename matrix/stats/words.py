"""Numbers and reasons as the judge writes them."""

Number = float | int | str | None
Numbers = tuple[tuple[str, Number], ...]
_SMALL = 0.001


def percent(share: float) -> str:
    """-0.54 -> '-54 %', 0.0123 -> '+1.2 %'; one decimal below ten."""
    value = 100 * share
    text = f"{value:+.0f}" if abs(value) >= 9.95 else f"{value:+.1f}"
    return f"{text.replace('-0.0', '0.0').replace('+0.0', '0.0')} %"


def span(low: float, high: float) -> str:
    """'-58..-49 %' from two shares."""
    return f"{percent(low).removesuffix(' %')}..{percent(high)}"


def count(number: int, noun: str) -> str:
    """'1 prompt', '16 prompts'."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def sentence(text: str) -> str:
    """One line without the closing full stop, so that it can be quoted inside another."""
    return " ".join(text.split()).removesuffix(".")


def numbers(**values: Number) -> Numbers:
    """Named values in the order given; floats keep six digits after the point, small ones three, so that stored
    verdicts stay short and a tiny p stays a p.
    """
    return tuple((k, _short(v) if isinstance(v, float) else v) for k, v in values.items())


def _short(value: float) -> float:
    return round(value, 6) if abs(value) >= _SMALL else float(f"{value:.3g}")
