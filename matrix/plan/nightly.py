"""The table `[nightly]` of `matrix.toml`: when the file is swept by itself, and how much a night may cost."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_RANGE = re.compile(r"^(\w+)-(\w+)$")
_LOOK_BACK = (timedelta(hours=2), timedelta(days=2), timedelta(days=35), timedelta(days=370), timedelta(days=1500))


def check_cron(text: str) -> str:
    """`text` unchanged if it is five cron words; else ValueError with an example."""
    try:
        if _trigger(text, "UTC").get_next_fire_time(None, datetime(2026, 1, 1, tzinfo=UTC)) is None:
            raise ValueError("no such day comes")
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        hint = "minute hour day month weekday, for example `0 2 * * *` for two o'clock each night"
        raise ValueError(f"`{text}` is no calendar in cron words: {error} (expected {hint})") from None
    return text


def check_zone(text: str) -> str:
    """`text` unchanged if it names a time zone that this machine knows; else ValueError."""
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"`{text}` is no time zone (expected a name like `UTC` or `Europe/Berlin`)") from None
    return text


class NightlyTable(BaseModel):
    """A file without it is swept only when somebody asks."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    when: Annotated[str, AfterValidator(check_cron)] = Field(
        "0 2 * * *", description="Cron words: minute hour day month weekday (0 and 7 are Sunday)."
    )
    timezone: Annotated[str, AfterValidator(check_zone)] = Field("UTC", description="Of the cron words.")
    on_new: bool = Field(True, description="Sweep as well when a revision appears that no run has tried yet.")
    poll_min: float = Field(
        30, ge=1, le=10_080, allow_inf_nan=False, description="Minutes between two looks for new revisions."
    )
    hours: float = Field(
        8, gt=0, le=720, allow_inf_nan=False, description="Time of one night; a cell that would end later waits."
    )
    gpu_hours: float | None = Field(
        None, gt=0, le=1_000_000, allow_inf_nan=False, description="GPUs times hours of one night; no limit without it."
    )
    tries: int = Field(3, ge=1, le=10, description="Runs of a cell that the machine itself fails, with growing pauses.")


def due(table: NightlyTable, last: float, now: float) -> float | None:
    """The newest moment (Unix seconds) that the calendar names after `last` and not after `now`; None without one.

    However many were missed, one is due: nights are caught up once.
    """
    trigger = _trigger(table.when, table.timezone)
    end = datetime.fromtimestamp(now, UTC)
    for back in _LOOK_BACK:
        start = max(datetime.fromtimestamp(last, UTC) + timedelta(microseconds=1), end - back)
        found = None
        for found in _fires(trigger, start, end):  # noqa: B007 - the last one is wanted
            pass
        if found is not None:
            return found.timestamp()
        if start > end - back:
            return None
    return None


def following(table: NightlyTable, now: float) -> float | None:
    """The next moment (Unix seconds) that the calendar names after `now`; None where none comes."""
    found = _trigger(table.when, table.timezone).get_next_fire_time(None, datetime.fromtimestamp(now, UTC))
    return found.timestamp() if found is not None else None


def _fires(trigger: "CronTrigger", start: datetime, end: datetime) -> Iterator[datetime]:
    moment: datetime | None = trigger.get_next_fire_time(None, start)
    while moment is not None and moment <= end:
        yield moment
        moment = trigger.get_next_fire_time(moment, moment)


@lru_cache(maxsize=64)
def _trigger(text: str, zone: str) -> "CronTrigger":
    from apscheduler.triggers.cron import CronTrigger  # a twelfth of a second that most verbs need not wait

    words = text.split()
    if len(words) != 5:
        raise ValueError(f"{len(words)} words")
    minute, hour, day, month, weekday = words
    return CronTrigger(
        minute=minute, hour=hour, day=day, month=month, day_of_week=_weekdays(weekday), timezone=ZoneInfo(zone)
    )


def _weekdays(text: str) -> str:
    """Names for numbers: cron's week begins on Sunday and APScheduler's on Monday, so numbers would mean other days."""
    return ",".join(_week_part(part) for part in text.lower().split(","))


def _week_part(part: str) -> str:
    days, slash, step = part.partition("/")
    if days == "*" and not slash:
        return part
    first, last = (0, 6) if days == "*" else _range(days)
    return ",".join(_DAYS[i % 7] for i in range(first, last + 1, _step(step) if slash else 1))


def _range(text: str) -> tuple[int, int]:
    found = _DAY_RANGE.match(text)
    first, last = (_day(found[1]), _day(found[2])) if found else (_day(text), _day(text))
    if last < first and last == 0:
        last = 7  # `sat-sun`: a week that ends on Sunday
    if last < first:
        raise ValueError(f"`{text}` ends before it begins")
    return first, last


def _day(text: str) -> int:
    if text.isdigit() and int(text) <= 7:
        return int(text)
    if text in _DAYS:
        return _DAYS.index(text)
    raise ValueError(f"`{text}` is no weekday")


def _step(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ValueError(f"`/{text}` is no step")
    return int(text)
