"""Selection of cells on the command line.

A selector is a wildcard on the cell's name `engine/revision/target/spec/workload` (a bare word matches any part), or
`field=wildcard`. Selectors of one field are alternatives; different fields must all match.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from matrix.core.cell import Cell
from matrix.core.errors import ConfigError

FIELDS = ("engine", "revision", "target", "spec", "method", "draft", "workload")
_ALIASES = {"version": "revision"}  # as `[[exclude]]` spells it


def fields(cell: Cell) -> dict[str, str]:
    """The names that selectors and exclusions match."""
    return {
        "engine": cell.revision.engine,
        "revision": cell.revision.version,
        "target": cell.target.name,
        "spec": cell.spec.name,
        "method": cell.spec.method.value,
        "draft": cell.spec.draft.name if cell.spec.draft else "",
        "workload": cell.workload.name,
    }


def cell_name(cell: Cell) -> str:
    """`engine/revision/target/spec/workload`."""
    names = fields(cell)
    return "/".join(names[f] for f in ("engine", "revision", "target", "spec", "workload"))


def series_matches(cell: Cell, pattern: str) -> bool:
    """True when a wildcard fits the cell's series, `engine/target/spec/workload`, or as a bare word any part of it."""
    names = fields(cell)
    parts = [names[f] for f in ("engine", "target", "spec", "workload")]
    return fnmatchcase("/".join(parts), pattern) or any(fnmatchcase(part, pattern) for part in parts)


def matches(cell: Cell, selectors: Sequence[str]) -> bool:
    """True when `cell` is selected; no selectors select everything. Raises ConfigError for an unknown field."""
    groups: dict[str, list[str]] = {}
    for selector in selectors:
        field, pattern = _split(selector)
        groups.setdefault(field, []).append(pattern)
    names = fields(cell) | {"": cell_name(cell)}
    return all(any(_match(names, field, p) for p in patterns) for field, patterns in groups.items())


def _split(selector: str) -> tuple[str, str]:
    field, equals, pattern = selector.partition("=")
    if not equals:
        return "", selector
    field = _ALIASES.get(field, field)
    if field not in FIELDS:
        raise ConfigError(f"`{field}` is no field to select by", hint=f"fields: {', '.join(FIELDS)}")
    return field, pattern


def _match(names: dict[str, str], field: str, pattern: str) -> bool:
    if field:
        return fnmatchcase(names[field], pattern)
    parts = names[""].split("/")
    return fnmatchcase(names[""], pattern) or any(fnmatchcase(part, pattern) for part in parts)
