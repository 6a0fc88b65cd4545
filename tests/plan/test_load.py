"""Workloads under several loads and over time: what is written down, what it becomes, and what it costs."""

from dataclasses import replace

import pytest

from matrix.core.errors import ConfigError
from matrix.core.workload import Prompt, Workload
from matrix.plan.config import WorkloadTable
from matrix.plan.estimate import START_S, STOP_S, Past, estimate
from matrix.plan.expand import Inputs, expand
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL, config, inputs


def table(line: str) -> WorkloadTable:
    return parse_config(f"{MINIMAL}\n[workloads.mine]\n{line}\n", "matrix.toml").workloads["mine"]


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("", [1]),
        ("concurrency = 8", [8]),
        ("concurrency = [1, 8]", [1, 8]),
        ("concurrency = [8, 1, 8]", [8, 1]),
    ],
)
def test_loads(line: str, numbers: list[int]) -> None:
    assert table(line).concurrencies == numbers


@pytest.mark.parametrize(
    ("line", "minutes"),
    [("", 0), ("uptime = false", 0), ("uptime = true", 10), ("uptime = 3", 3), ("uptime = 0.5", 0.5)],
)
def test_minutes(line: str, minutes: float) -> None:
    assert table(line).uptime_min == minutes


BAD = ("concurrency = 0", "concurrency = []", "concurrency = [1, 0]", "concurrency = true", "concurrency = 257")
BAD += ("concurrency = [1, 'x']", "uptime = 0", "uptime = -1", "uptime = 'long'", "uptime = nan", "uptime = 1441")


@pytest.mark.parametrize("line", BAD)
def test_what_is_neither_is_one_error_at_its_line(line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        table(line)
    number = f"{MINIMAL}\n[workloads.mine]\n".count("\n") + 1
    assert str(caught.value).startswith(f"matrix.toml:{number}: workloads.mine.{line.partition(' ')[0]}: expected ")
    assert caught.value.others == ()


def given(*workloads: Workload) -> Inputs:
    return replace(inputs(["1.0.0"]), workloads={w.name: w for w in workloads})


SMALL = Workload("small", (Prompt("p", "code", "def f("),), 32)


def test_a_baseline_is_followed_by_nobody_and_shared() -> None:
    cells = expand(config(), given(replace(SMALL, uptime_min=10))).cells
    assert {c.workload.uptime_min for c in cells if c.spec.is_baseline} == {0}
    assert {c.workload.uptime_min for c in cells if not c.spec.is_baseline} == {10}
    plain = expand(config(), given(SMALL)).cells
    baselines = [[c.series_key for c in group if c.spec.is_baseline] for group in (cells, plain)]
    assert baselines[0] == baselines[1]


def test_cells_of_one_server_stand_together() -> None:
    cells = expand(config(), given(SMALL, replace(SMALL, name="small@8", concurrency=8))).cells
    assert len(cells) % 2 == 0
    assert all(a.shares_server(b) for a, b in zip(cells[::2], cells[1::2], strict=True))
    assert not any(a.shares_server(b) for a, b in zip(cells[1::2], cells[2::2], strict=False))


def test_a_shared_start_is_paid_once() -> None:
    one, both = (
        estimate(expand(config(), given(*workloads)).cells, {}, Past(probe_s={}))
        for workloads in ([SMALL], [SMALL, replace(SMALL, name="b", concurrency=8)])
    )
    starts = len(expand(config(), given(SMALL)).cells) * (START_S + STOP_S)
    assert one.seconds > starts
    assert both.seconds - one.seconds < one.seconds - starts


def test_time_spent_ageing_counts() -> None:
    calm, aged = (
        estimate(expand(config(), given(replace(SMALL, uptime_min=minutes))).cells, {}, Past()) for minutes in (0, 10)
    )
    drafts = sum(1 for c in expand(config(), given(SMALL)).cells if not c.spec.is_baseline)
    assert aged.seconds - calm.seconds == pytest.approx(600 * drafts)
