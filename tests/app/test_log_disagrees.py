"""A log that tells another accept length than the counters is a finding of its own."""

from pathlib import Path

import pytest

from matrix.app.bench import Quiet
from matrix.app.oddities import oddities
from matrix.app.record import Record
from matrix.core.counters import Counters
from matrix.core.oddity import Oddity
from matrix.core.recipe import Recipe
from matrix.executors.caplog import CappedLog
from tests.app.build import cell

POOLED = Counters(100, 300, 150, completion_tokens=260)


def record(tmp_path: Path, logged: Counters, sure: int = 1) -> Record:
    made = Record("r", cell(), Recipe("x", ()), Quiet(), tmp_path / "server.log")
    made.logged, made.sure = logged, sure
    return made


@pytest.mark.parametrize(
    ("logged", "found"),
    [(Counters(), []), (Counters(98, None, 147), []), (Counters(100, None, 50), [Oddity.LOG_DISAGREES])],
)
def test_it_is_told_with_both_numbers(tmp_path: Path, logged: Counters, found: list[Oddity]) -> None:
    told = oddities(record(tmp_path, logged), POOLED)
    assert [flag for flag, _ in told] == found
    if found:
        assert told[0][1] == "the engine's log tells 1.50 over 100 steps, its counters 2.50"


@pytest.mark.parametrize(
    ("accepted", "sure", "found"),
    [
        (0, 1, [Oddity.NEVER_ACCEPTED]),
        (100, 2, [Oddity.NEVER_ACCEPTED]),
        (300, 1, [Oddity.ALWAYS_ACCEPTED]),
        (300, 2, []),
        (400, 2, [Oddity.ALWAYS_ACCEPTED]),
        (401, 2, [Oddity.ABOVE_K]),
    ],
)
def test_tokens_that_are_sure_are_no_accepted_drafts(
    tmp_path: Path, accepted: int, sure: int, found: list[Oddity]
) -> None:
    pooled = Counters(100, None, accepted, completion_tokens=260)
    assert [flag for flag, _ in oddities(record(tmp_path, Counters(), sure), pooled)] == found


def test_only_what_was_logged_from_a_byte_on_is_read(tmp_path: Path) -> None:
    made = record(tmp_path, Counters())
    assert made.log_size() == 0
    made.log.write_text("before\n")
    start = made.log_size()
    with made.log.open("a") as file:
        file.write("after\n")
    assert (start, made.log_text(start), made.log_text()) == (7, "after\n", "before\nafter\n")


def test_of_a_long_log_the_head_and_the_tail_are_read(tmp_path: Path) -> None:
    made = record(tmp_path, Counters())
    made.log.write_bytes(b"configured so\n" + b"x" * (9 * 2**20) + b"\nthe cause\n")
    text = made.log_text()
    assert text.startswith("configured so\n") and text.endswith("\nthe cause\n")
    assert "\n[1048601 of 9437209 bytes are cut out here]\n" in text


def test_a_log_that_was_cut_meanwhile_has_no_part_from_a_byte_on(tmp_path: Path) -> None:
    made = record(tmp_path, Counters())
    log = CappedLog(made.log, 1000)
    log.write(b"before\n")
    start = made.log_size()
    log.write(b"after\n")
    assert made.log_text(start) == "after\n"
    log.write(b"x" * 2000)
    assert made.log_text(start) == ""
