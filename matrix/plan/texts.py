"""Texts of a config that would only fail later, far from the line that holds them."""

from packaging.specifiers import InvalidSpecifier, SpecifierSet

_OPERATORS = "<>=!~"


def check_text(text: str) -> str:
    """`text` unchanged; ValueError for a zero byte, which no path, argument or variable can hold."""
    if "\0" in text:
        raise ValueError("a zero byte can be part of no path, argument or variable")
    return text


def check_version_pattern(text: str) -> str:
    """`text` unchanged; ValueError for what begins as a PEP 440 range and is none, and so would match no version."""
    if text[:1] in tuple(_OPERATORS):
        try:
            SpecifierSet(text)
        except InvalidSpecifier:
            raise ValueError(f"`{text}` is no range: expected `>=0.30`, `<0.33,!=0.31` or a wildcard") from None
    return text
