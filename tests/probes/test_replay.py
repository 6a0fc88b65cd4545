"""A conversation of the shape that real servers give, with lengths worked out by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.core.counters import accept_length, combine, position_rates, tokens_per_step
from matrix.core.workload import Prompt, Workload
from matrix.probes.accept import run_probe, warm_up
from matrix.probes.client import Client, Rendered
from matrix.probes.probe import Probe
from tests.fakes.replay import Replay
from tests.probes.conftest import EAGLE3, NAMES

CONVERSATION = json.loads((Path(__file__).parent / "conversation.json").read_text())
WORKLOAD = Workload("replayed", tuple(Prompt(f"p{i}", "code", "x") for i in range(3)), max_tokens=32)


@pytest.mark.parametrize("per_request", [True, False])
def test_lengths_are_those_worked_out_by_hand(per_request: bool) -> None:
    with Replay(CONVERSATION) as server:
        client = Client(server.url, "small")
        assert client.models() == ["small"]
        names = replace(NAMES, per_request=per_request)
        probe = Probe(client, WORKLOAD, lambda p: Rendered(p.text), names, EAGLE3)
        warm_up(probe)
        samples = run_probe(probe)
    assert [accept_length(s.counters) for s in samples] == pytest.approx([2.4, 1.45, 4.0])
    assert [s.flags for s in samples] == [("short",), ("short",), ("exactly-max",)]
    total = combine(s.counters for s in samples)
    assert accept_length(total) == pytest.approx(1 + 47 / 38)
    assert position_rates(total) == pytest.approx((21 / 38, 14 / 38, 12 / 38))
    assert tokens_per_step(total) == pytest.approx((85 - 3) / 38)
    assert [s.text for s in samples] == [" first text", " second text", " third text"]
