"""Texts of a config that would only fail later, far from the line that holds them."""

from packaging.specifiers import InvalidSpecifier, SpecifierSet

_OPERATORS = "<>=!~"
_LONGEST = 128_000
"""Bytes; Linux hands no single argument or variable of 131,072 bytes or more to a process."""


def check_text(text: str) -> str:
    """`text` unchanged; ValueError for a zero byte or a length that no path, argument or variable can have."""
    if "\0" in text:
        raise ValueError("a zero byte can be part of no path, argument or variable")
    if len(text.encode()) > _LONGEST:
        raise ValueError(f"no path, argument or variable holds more than {_LONGEST} bytes")
    return text


def check_version_pattern(text: str) -> str:
    """`text` unchanged; ValueError for what begins as a PEP 440 range and is none, and so would match no version."""
    if text[:1] in tuple(_OPERATORS):
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            raise ValueError(f"`{text}` is no range: expected `>=0.30`, `<0.33,!=0.31` or a wildcard") from None
    return text
