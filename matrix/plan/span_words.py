"""Spans of versions: their ends, and the words for them."""

from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

Ends = tuple[Version | None, Version | None]


def ends(versions: str) -> Ends:
    """The lowest and the highest version of a span (`0.5.4`, `>=0.5.2,<=0.5.5`), None where it is open."""
    try:
        single = Version(versions)
    except InvalidVersion:
        return _of_range(versions)
    return single, single


def span_words(versions: str) -> str:
    """The span for a reader: `0.5.2 to 0.5.5.post2`, `0.5.6 and newer`, `up to 0.5.1`; as written where it is else."""
    low, high = ends(versions)
    if low and high:
        return str(low) if low == high else f"{low} to {high}"
    if low:
        return f"{low} and newer"
    if high:
        return f"up to {high}"
    return "every release" if versions == ">=0" else versions or "revision not stated"


def reaches_beyond(versions: str, version: str) -> bool:
    """True where the span holds versions newer than `version`; false for an unknown span."""
    try:
        return bool(versions) and ((high := ends(versions)[1]) is None or high > Version(version))
    except InvalidVersion:
        return False


def follows(later: str, earlier: str) -> bool:
    """True where the span `later` begins after the end of `earlier`."""
    low, high = ends(later)[0], ends(earlier)[1]
    return low is not None and high is not None and low > high


def _of_range(versions: str) -> Ends:
    try:
        parts: list[Specifier] = list(SpecifierSet(versions))
        same = [Version(p.version) for p in parts if p.operator == "=="]
        low = [Version(p.version) for p in parts if p.operator in (">=", ">", "~=")]
        high = [Version(p.version) for p in parts if p.operator in ("<=", "<")]
    except (InvalidSpecifier, InvalidVersion):
        return None, None
    if same:
        return same[0], same[0]
    return next((v for v in low if v != Version("0")), None), min(high, default=None)
