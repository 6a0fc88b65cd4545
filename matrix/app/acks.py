"""Acknowledging regressions, and which regressions an acknowledgement covers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from matrix.app.regression import AckView, Regression, Status
from matrix.core.ack import Ack, Scope
from matrix.core.errors import ConfigError, NotFoundError, Where
from matrix.core.state import State
from matrix.store.texts import stored_text

_SPAN = re.compile(r"(?P<number>[1-9]\d{0,4})(?P<unit>[dhw])")
_UNITS = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
MOST_REASON = 2000
_SERIES = re.compile(r"[0-9a-f]{16}")


def until_moment(text: str, now: float, key: str = "--until") -> float:
    """`30d`, `12h`, `2w` from `now`, or a date, which lasts to its end in UTC; Unix seconds.

    ConfigError, which names `key`, for anything else and for what is past.
    """
    span = _SPAN.fullmatch(text)
    if span:
        return now + int(span["number"]) * _UNITS[span["unit"]]
    where = Where(key=key)
    try:
        end = (datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC) + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError):  # the last day of the calendar has no end
        hint = "for example 2027-01-31, 30d or 12h"
        raise ConfigError(f"`{text}` is no date and no span", hint=hint, where=where) from None
    if end <= now:
        raise ConfigError(f"{text} is past", hint="give a date to come", where=where)
    return end


def acks_for(
    named: Sequence[str],
    known: Sequence[Regression],
    *,
    scope: Scope | None,
    reason: str,
    until: float | None,
    now: float,
) -> list[Ack]:
    """One acknowledgement for each flip number or series key in `named`; a key names what stands in its series.

    Without a scope a number means its cell and a key its series. NotFoundError for what is no standing regression.
    """
    found = []
    for name in named:
        items = _named(name, known)
        if scope is Scope.SERIES or (scope is None and _SERIES.fullmatch(name)):
            found.append(_ack(max(items, key=_badness), Scope.SERIES, reason, until, now))
        else:
            found += [_ack(item, scope or Scope.CELL, reason, until, now) for item in items]
    return found


def given_reason(text: str, key: str = "--reason") -> str:
    """The reason as one line of what can be seen; ConfigError, which names `key`, for an empty or a very long one."""
    seen = " ".join("".join(c if c.isprintable() else " " for c in stored_text(text)).split())
    if not seen:
        raise ConfigError("a reason is needed", hint='for example "known upstream"', where=Where(key=key))
    if len(seen) > MOST_REASON:
        cause = f"the reason has {len(seen):,} characters, {MOST_REASON:,} are the most"
        raise ConfigError(cause, hint="say it in short and give a link", where=Where(key=key))
    return seen


def acknowledged(items: Sequence[Regression], acks: Iterable[Ack], now: float) -> list[Regression]:
    """The same regressions, each with the newest acknowledgement that covers it, or why one no longer does."""
    found = list(items)
    groups = {_name(item): item.group for item in found}
    for ack in acks:
        found = [_with(item, ack, now) if _covers(ack, item, groups) else item for item in found]
    return found


def _named(name: str, known: Sequence[Regression]) -> list[Regression]:
    series = _SERIES.fullmatch(name) is not None
    items = [i for i in known if i.standing and (i.series_key == name if series else str(i.flip_id) == name)]
    if items:
        return items
    what = f"in series {name} no regression stands" if series else f"no standing regression has the number {name!r}"
    raise NotFoundError(what, hint="`matrix regressions` lists them")


def _ack(item: Regression, scope: Scope, reason: str, until: float | None, now: float) -> Ack:
    series = scope is Scope.SERIES
    return Ack(
        series_key=item.series_key,
        scope=scope,
        state=State(item.now),
        reason=reason,
        metric=None if series else item.metric,
        to_revision=None if series else item.to_revision,
        until=until,
        created_at=now,
    )


def _badness(item: Regression) -> tuple[int, int]:
    state = State(item.now)
    return sum(state.worse_than(other) for other in State), -item.flip_id


def _name(item: Regression) -> tuple[str, str, str]:
    return item.series_key, item.metric, item.to_revision


def _covers(ack: Ack, item: Regression, groups: dict[tuple[str, str, str], int]) -> bool:
    if not item.standing:
        return False
    if ack.scope is Scope.SERIES:
        return ack.series_key == item.series_key
    anchor = ack.series_key, ack.metric or "", ack.to_revision or ""
    return _name(item) == anchor or (ack.scope is Scope.GROUP and groups.get(anchor) == item.group)


def _with(item: Regression, ack: Ack, now: float) -> Regression:
    if ack.removed_at is not None:
        return item
    if not ack.holds(now):
        return item if item.ack else replace(item, ack_ended=f"acknowledgement {ack.ack_id} has expired")
    if State(item.now).worse_than(ack.state):
        ended = f"acknowledgement {ack.ack_id} was for {ack.state}, and it is {item.now} now"
        return item if item.ack else replace(item, ack_ended=ended)
    view = AckView(ack.ack_id, ack.scope.value, ack.reason, ack.until, ack.created_at)
    return replace(item, ack=view, acknowledged=True, ack_ended="", status=Status.ACKNOWLEDGED.value)
