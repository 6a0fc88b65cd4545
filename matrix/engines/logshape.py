"""The shape of a line: what is left of it without digits and the letters of hexadecimal numbers."""

_HEX = b"0123456789abcdef"


def shape_of(data: bytes) -> bytes:
    """The shape of a line, or of many."""
    return data.translate(None, _HEX)
