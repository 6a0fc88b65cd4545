"""Records read by column add up to what a search for each of them finds, whatever stands between them."""

import random
from collections.abc import Callable
from unittest.mock import patch

import pytest

from matrix.engines import logbulk
from matrix.engines.logcolumns import Numbers, UnlikeError, columns, commas
from matrix.engines.logshape import shape_of
from tests.engines.test_log_large import ACCESS, DECODE, WINDOW, window

Made = Callable[[random.Random], str]


def decode(rng: random.Random) -> str:
    return DECODE.format(rank="", running=rng.randint(0, 30), port=rng.randint(1, 9999), length=rng.uniform(1, 5))


def counted(rng: random.Random) -> str:
    return window(rng, 3)[0]


STRANGERS = {
    "nothing": "",
    "no comma": ACCESS.format(port=3),
    "a comma": "WARNING: slow, very slow",
    "as many commas": "a, b, c, d, e, f, g, h, i",
    "a column's name": "see, accept len: 9.99, and, Accepted: many tokens",
    "a cut record": DECODE.format(rank="", running=3, port=5, length=2.5)[:90],
    "a cut window": WINDOW.format(mean=2.5, accepted=90, drafted=180, rates="0.600, 0.500, 0.400")[:190],
}


@pytest.mark.parametrize("record", [decode, counted])
@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("alone", [True, False])
def test_columns_add_up_to_what_a_search_finds(record: Made, stranger: str, alone: bool) -> None:
    rng = random.Random(3)
    lines = [record(rng) for _ in range(60)]
    shapes = {shape_of(line.encode()) for line in lines}
    for place in (0, 1, 30, 60):
        data = "\n".join([*lines[:place], STRANGERS[stranger], *lines[place:], ""]).encode()
        with patch.object(logbulk, "columns", side_effect=UnlikeError):
            searched = list(logbulk.pool(data, shapes, by_rank=False))
        assert list(logbulk.pool(data, shapes, by_rank=False, alone=alone)) == searched
        assert [one.times for one in searched] == [60]


def test_decode_lines_among_lines_without_a_comma_are_read_by_column() -> None:
    rng = random.Random(4)
    data = "".join(f"{decode(rng)}\n{ACCESS.format(port=7)}\n" for _ in range(9)).encode()
    shapes = {shape_of(line) for line in data.split(b"\n") if b"accept len" in line}
    with patch.object(logbulk, "_found", side_effect=AssertionError):
        assert [one.times for one in logbulk.pool(data, shapes, by_rank=False, alone=True)] == [9]


def test_columns_begin_where_their_head_is_first_seen() -> None:
    data = b"x\nid 1, a: 2, b: 3, end\nx\nid 4, a: 5, b: 6, end\n"
    assert columns(data, 3, (b", a: ", b", b: ")) == ([b" a: 2", b" a: 5"], [b" b: 3", b" b: 6"])
    with pytest.raises(UnlikeError):
        columns(data + b"one, more\n", 3, (b", a: ", b", b: "))
    with pytest.raises(UnlikeError):
        columns(data, 3, (b", a: ", b", missing: "))


def test_numbers_have_their_form_and_are_made_once() -> None:
    numbers = Numbers(rb" n: (\d{1,3})", 1.0)
    assert (numbers[b" n: 12"], numbers[b" n: 0"], len(numbers)) == (12.0, 1.0, 2)
    with pytest.raises(UnlikeError):
        numbers[b" n: 1234"]


def test_records_of_unlike_shapes_have_no_number_of_commas() -> None:
    assert (commas([b"a,b,", b",,"]), commas([b",", b",,"]), commas([])) == (2, 0, 0)
