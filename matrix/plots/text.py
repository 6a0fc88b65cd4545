"""Names as they can stand in an SVG file and beside an axis."""

_LONGEST = 18


def printable(text: str) -> str:
    """XML 1.0 cannot hold control characters at all, not even escaped; each becomes a replacement character."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def label(revision: str) -> str:
    """A revision short enough for an axis: the middle of a long one is left out."""
    text = printable(revision)
    return text if len(text) <= _LONGEST else f"{text[:8]}…{text[-8:]}"
