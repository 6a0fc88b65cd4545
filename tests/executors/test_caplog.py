"""A log's head and tail stay, at any size of log and of write; a reader finds a whole file at any moment."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.executors.caplog import CappedLog

GAP = re.compile(rb"\n\[(\d+) of (\d+) bytes are cut out here\]\n")


def lines(count: int) -> bytes:
    return b"".join(b"line %06d\n" % n for n in range(count))


def test_a_log_within_its_cap_is_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"kept\n")
    log = CappedLog(path, 1024)
    log.write(lines(50))
    log.close()
    assert path.read_bytes() == b"kept\n" + lines(50)


@settings(max_examples=40, deadline=None)
@given(count=st.integers(200, 3000), step=st.integers(1, 5000), cap=st.integers(400, 2000))
def test_head_tail_and_what_went(tmp_path_factory: pytest.TempPathFactory, count: int, step: int, cap: int) -> None:
    path, text = tmp_path_factory.mktemp("cap") / "log", lines(count)
    log = CappedLog(path, cap)
    for start in range(0, len(text), step):
        log.write(text[start : start + step])
        assert path.stat().st_size <= cap
    log.close()
    kept = path.read_bytes()
    gap = GAP.search(kept)
    assert gap is not None
    head, tail = kept[: gap.start()], kept[gap.end() :]
    assert text.startswith(head) and text.endswith(tail) and head and tail
    assert head.endswith(b"\n") and tail.startswith(b"line ")
    assert len(head) + int(gap[1]) + len(tail) + len(text[: int(gap[2])]) - int(gap[2]) == len(text)
    assert [p.name for p in path.parent.iterdir()] == ["log"]


def test_a_line_without_end_is_cut_as_well(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = CappedLog(path, 1000)
    for _ in range(100):
        log.write(b"x" * 777)
    log.close()
    gap = GAP.search(path.read_bytes())
    assert gap is not None and path.stat().st_size <= 1000
    assert path.stat().st_size - (gap.end() - gap.start()) + int(gap[1]) == 77700
