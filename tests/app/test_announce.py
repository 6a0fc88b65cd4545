"""A flip is told once; what stands is called to mind beside it."""

import time

import pytest

from matrix.app.acks import acks_for
from matrix.app.announce import announce
from matrix.app.attribute import regressions
from matrix.store import Store
from tests.app.stored import cell, judged, served
from tests.databases import on_both

pytestmark = on_both


def told(store: Store) -> list[str]:
    lines: list[str] = []
    announce(judged(store), lines.append)
    return [line.split(":")[0] for line in lines]


def test_each_flip_is_told_once_and_fixed_is_told_too(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    assert told(stored) == []
    served(stored, cell("1.1"), 1.6, at=2000)
    assert told(stored) == ["regression"]
    assert told(stored) == ["still failing"]
    served(stored, cell("1.2"), 1.0, at=3000)
    assert told(stored) == ["still failing"]
    served(stored, cell("1.3"), 2.5, at=4000)
    assert told(stored) == ["fixed"]
    assert told(stored) == []


def test_an_acknowledged_one_is_called_so(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    told(stored)
    known = regressions(stored)
    for ack in acks_for([str(known[0].flip_id)], known, scope=None, reason="r", until=None, now=time.time()):
        stored.acks.add(ack)
    assert told(stored) == ["acknowledged"]


def test_the_line_names_the_cause(stored: Store) -> None:
    served(stored, cell("1.0", k=8), 3.2, at=1000)
    served(stored, cell("1.1", k=8), 1.6, at=2000, resolved={"k": 4})
    lines: list[str] = []
    announce(judged(stored), lines.append)
    assert lines[0].startswith("regression: sglang / Qwen2.5-VL-7B / eagle3-k8 / standard: 1.0 -> 1.1: ")
    assert "(settings: k fell from 8 to 4" in lines[0]


def test_what_could_not_be_said_is_said_next_time(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    judged(stored)

    def interrupted(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        announce(stored, interrupted)
    assert told(stored) == ["regression"]
