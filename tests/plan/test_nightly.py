"""When a night is due: cron's own week, time zones, and missed nights caught up once."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.core.errors import ConfigError
from matrix.plan.nightly import NightlyTable, due, following
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc]


def told(table: NightlyTable, last: float, now: float) -> str:
    found = due(table, last, now)
    return datetime.fromtimestamp(found, UTC).strftime("%a %F %H:%M") if found is not None else ""


def test_a_moment_is_due_once_it_has_come_and_until_it_was_taken() -> None:
    table = NightlyTable(when="0 2 * * *")
    assert told(table, at(2026, 1, 1, 3), at(2026, 1, 2, 1, 59)) == ""
    assert told(table, at(2026, 1, 1, 3), at(2026, 1, 2, 2)) == "Fri 2026-01-02 02:00"
    assert told(table, at(2026, 1, 2, 2), at(2026, 1, 2, 23)) == ""


def test_the_next_night_is_the_calendars_in_its_own_zone() -> None:
    table = NightlyTable(when="30 2 * * *", timezone="Europe/Berlin")
    assert following(table, at(2026, 1, 1, 1, 29)) == at(2026, 1, 1, 1, 30)
    assert following(table, at(2026, 1, 1, 1, 31)) == at(2026, 1, 2, 1, 30)


def test_many_missed_nights_are_one() -> None:
    assert told(NightlyTable(when="0 2 * * *"), at(2026, 1, 1), at(2026, 3, 1, 12)) == "Sun 2026-03-01 02:00"
    assert told(NightlyTable(when="* * * * *"), at(2020, 1, 1), at(2026, 3, 1, 12)) == "Sun 2026-03-01 12:00"


@pytest.mark.parametrize(
    ("weekday", "newest"),
    [("0", "Sun"), ("7", "Sun"), ("sun", "Sun"), ("1", "Mon"), ("1-5", "Wed"), ("sat-sun", "Sun"), ("*/3", "Wed")],
)
def test_the_week_is_that_of_cron(weekday: str, newest: str) -> None:
    # 2026-01-14 is a Wednesday.
    assert told(NightlyTable(when=f"0 2 * * {weekday}"), at(2026, 1, 1), at(2026, 1, 14, 12)).startswith(newest)


def test_the_words_are_of_the_time_zone() -> None:
    table = NightlyTable(when="0 2 * * *", timezone="Asia/Tokyo")
    assert told(table, at(2026, 1, 1), at(2026, 1, 2, 12)) == "Thu 2026-01-01 17:00"


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_is_due_lies_after_the_last_and_is_due_no_more_once_taken(last: int, more: int) -> None:
    table, begin = NightlyTable(when="*/20 3,5 * * 1-6"), at(2026, 1, 1)
    now = begin + last + more
    found = due(table, begin + last, now)
    if found is not None:
        assert begin + last < found <= now
        assert due(table, found, now) is None


@pytest.mark.parametrize("words", ["", "hourly", "0 2 * *", "61 2 * * *", "0 2 * * 8", "0 2 31 2 *", "0 2 * * fri-mon"])
def test_no_calendar_is_refused_with_file_line_and_example(words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(f'{MINIMAL}\n[nightly]\nwhen = "{words}"\n', "matrix.toml")
    assert "matrix.toml:" in str(caught.value) and "nightly.when" in str(caught.value)
    assert "0 2 * * *" in str(caught.value)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ConfigError, match="no time zone"):
        parse_config(f'{MINIMAL}\n[nightly]\ntimezone = "Mars/Olympus"\n', "matrix.toml")
