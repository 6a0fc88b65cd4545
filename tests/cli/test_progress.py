"""Progress: plain lines where there is no terminal, and a remaining time that makes sense."""

import io

import pytest
from rich.console import Console

from matrix.cli.progress import Follower, clock
from matrix.core.outcome import Outcome
from tests.app.build import cell


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (75.4, "1:15"), (3599.6, "1:00:00"), (3661, "1:01:01")])
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_plain_lines_name_cell_phase_and_reason() -> None:
    out = io.StringIO()
    with Follower(2, 100, Console(file=out, width=200)) as follower:
        follower.phase(cell(), "start")
        follower.phase(cell(), "probe", "1/4 prompts")
        follower.phase(cell(), "probe", "2/4 prompts")
        follower.done(cell(), Outcome.LOAD_CRASH, "it [bold]crashed[/bold] \x1b[31m")
    text = out.getvalue()
    assert text.count("probe") == 1
    assert "1/2 vllm 1.0.0 / big / eagle / standard: start" in text
    assert "load-crash" in text and "[bold]crashed[/bold]" in text
    assert "\x1b" not in text


def test_the_remaining_time_follows_the_finished_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("matrix.cli.progress.time.monotonic", lambda: now[0])
    follower = Follower(4, 400, Console(file=io.StringIO()))
    now[0] = 60.0
    assert follower.remaining_s() == 340
    now[0] = 100.0
    follower.done(cell(), Outcome.OK, "")
    assert follower.remaining_s() == 300
    now[0] = 140.0
    assert follower.remaining_s() == 260
    now[0] = 900.0
    assert follower.remaining_s() == 200


def test_a_long_build_of_the_first_cell_does_not_count_for_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("matrix.cli.progress.time.monotonic", lambda: now[0])
    follower = Follower(3, 160, Console(file=io.StringIO()), each=[100, 30, 30])
    now[0] = 150.0
    assert follower.remaining_s() == 60, "the first cell is late; the others are still to come"
    follower.done(cell(), Outcome.OK, "")
    assert follower.remaining_s() == 1.5 * 60
    follower.grow(1)
    assert follower.remaining_s() == pytest.approx(1.5 * (60 + 160 / 3))


def test_a_forecast_that_comes_late_counts_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("matrix.cli.progress.time.monotonic", lambda: now[0])
    follower = Follower(0, 0.0, Console(file=io.StringIO()))
    now[0] = 50.0
    assert follower.remaining_s() == 0
    follower.expect(2, 100)
    now[0] = 60.0
    assert follower.remaining_s() == 90
