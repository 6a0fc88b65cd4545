"""The shape of a line: what is left of it without digits and the letters of hexadecimal numbers."""

from collections.abc import Set

SPARSE = 4
"""One line in so many may be worth a look where only those lines' shapes are taken."""
_HEX = b"0123456789abcdef"


def shape_of(data: bytes) -> bytes:
    """The shape of a line, or of many."""
    return data.translate(None, _HEX)


def shapes_of(whole: bytes, likely: Set[int] | None, last: bytes) -> list[bytes]:
    """The shape of each whole line; of the `likely` ones alone where they are few, and no bytes for the others.

    `last` is a shape that all may have: lines of one shape need not be told apart.
    """
    count = 0 if likely is None else whole.count(b"\n")
    if likely is None or len(likely) * SPARSE > count:
        text, line = shape_of(whole), last + b"\n"
        end = text.rfind(b"\n") + 1
        times, rest = divmod(end, len(line))
        return [last] * times if not rest and text.startswith(line * times) else text.split(b"\n")[:-1]
    shapes = [b""] * count
    if likely:
        lines = whole.split(b"\n")
        for index in likely:
            if index < count:
                shapes[index] = shape_of(lines[index])
    return shapes
