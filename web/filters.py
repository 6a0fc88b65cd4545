"""What of the first page was asked for: filters, grouping and the moment since when changes are told, all in the
address, so that it is the permalink of what is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query

from matrix.core.errors import ConfigError, Where
from matrix.core.state import State
from matrix.store.narrow import VALUES, Narrow
from matrix.store.views import FlipView, SeriesRow
from web.asked import Name

GROUPS = ("target", "draft", "method", "workload", "hardware")
"""What rows may be grouped by; the first is the usual one."""

_IN_FLIPS = tuple(name for name in VALUES if name in FlipView.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class View:
    """`since` in Unix seconds, None for not asked; `query` is the address's query, without what is usual."""

    narrow: Narrow
    group: str
    since: float | None
    query: str

    @property
    def filtered(self) -> bool:
        return self.narrow.any

    def seen(self, flip: FlipView) -> bool:
        """True for a flip that fits and was not seen before the moment asked for."""
        return self.fits(flip) and (self.since is None or flip.created_at >= self.since)

    def fits(self, flip: FlipView) -> bool:
        """True for a flip that the filters let through; what a flip does not tell (hardware) lets all through."""
        same = all(getattr(self.narrow, name) in (None, getattr(flip, name)) for name in _IN_FLIPS)
        return same and self.narrow.state in (None, flip.after, flip.before)


@dataclass(frozen=True, slots=True)
class Choice:
    """One drop-down list of the form."""

    name: str
    values: list[str]
    chosen: str


def view_from(
    engine: Name = "",
    target: Name = "",
    draft: Name = "",
    method: Name = "",
    workload: Name = "",
    hardware: Name = "",
    state: Name = "",
    group: Name = "",
    since: Annotated[str, Query(max_length=40)] = "",
) -> View:
    """A dependency of routes; ConfigError for a state, grouping or moment that is none."""
    asked = {"engine": engine, "target": target, "draft": draft, "method": method, "workload": workload}
    asked |= {"hardware": hardware, "state": state}
    given: dict[str, Any] = {name: text for name, value in asked.items() if (text := value.strip())}
    _check("state", state.strip(), tuple(State))
    _check("group", group.strip(), GROUPS)
    usual = group.strip() in ("", GROUPS[0])
    rest = {"group": "" if usual else group.strip(), "since": since.strip()}
    query = urlencode(given | {name: value for name, value in rest.items() if value})
    return View(Narrow(**given), group.strip() or GROUPS[0], moment(since.strip()), query)


def moment(text: str) -> float | None:
    """Unix seconds from a day (2026-11-30, its beginning in UTC), a time in ISO 8601 or seconds; None for empty."""
    if not text:
        return None
    try:
        return float(text) if text.replace(".", "", 1).isdigit() else _iso(text)
    except (ValueError, OverflowError):
        hint = "for example since=2026-11-30"
        raise ConfigError(f"`{text}` is no moment", hint=hint, where=Where(key="since")) from None


def choices(known: Mapping[str, list[str]], narrow: Narrow) -> list[Choice]:
    """The lists of the form: what there is of each name, and the states."""
    values = {name: known.get(name, []) for name in VALUES} | {"state": [state.value for state in State]}
    return [Choice(name, _with(values[name], getattr(narrow, name)), getattr(narrow, name) or "") for name in values]


def told(choices: list[Choice]) -> list[Choice]:
    """The lists by which flips can be told apart."""
    return [choice for choice in choices if choice.name in (*_IN_FLIPS, "state")]


def group_name(row: SeriesRow, group: str) -> str:
    """The name of the row's group; a row without a draft is grouped as such."""
    return str(getattr(row, group) or f"no {group}")


def _with(values: list[str], chosen: str | None) -> list[str]:
    """The list, with what was asked for even where there is none of it."""
    return values if chosen is None or chosen in values else [*values, chosen]


def _check(name: str, value: str, known: tuple[str, ...]) -> None:
    if value and value not in known:
        raise ConfigError(f"`{value}` is no {name}", hint=f"known: {', '.join(known)}", where=Where(key=name))


def _iso(text: str) -> float:
    stamp = datetime.fromisoformat(text)
    return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()
