"""Drift while a server runs: told from noise, prompt by prompt, and never from nothing."""

import random

import pytest

from matrix.core.counters import Counters
from matrix.core.result import POOLED, Uptime
from matrix.stats.uptime import Round, over_time


def counted(length: float, steps: int = 100) -> Counters:
    accepted = round((length - 1) * steps)
    return Counters(steps, 3 * steps, accepted, None, steps, steps + accepted + 1)


def a_round(*lengths: float) -> Round:
    return {f"p{i}": counted(length) for i, length in enumerate(lengths)}


def judged(first: list[Round], last: list[Round], *, draftless: bool = False) -> Uptime:
    return over_time(10, 20, first, last, draftless=draftless)


LENGTHS = (2.0, 2.5, 3.0, 1.8, 2.2, 2.9, 3.1, 2.4)


def test_the_same_lengths_are_no_drift() -> None:
    found = judged([a_round(*LENGTHS)] * 3, [a_round(*LENGTHS)] * 2)
    assert (found.change, found.low, found.high, found.drift) == (0, 0, 0, False)
    assert (found.minutes, found.rounds) == (10, 20)
    assert found.first.steps == 2400 and found.last.steps == 1600


def test_a_fall_in_every_prompt_is_drift() -> None:
    found = judged([a_round(*LENGTHS)], [a_round(*(0.8 * x for x in LENGTHS))])
    assert found.change == pytest.approx(-0.2, abs=0.01) and found.drift
    assert found.low is not None and found.high is not None
    assert found.low <= found.change <= found.high < 0


def test_a_rise_is_drift_too() -> None:
    assert judged([a_round(*(0.8 * x for x in LENGTHS))], [a_round(*LENGTHS)]).drift


def test_a_change_below_relevance_is_none_however_sure() -> None:
    found = judged([a_round(*LENGTHS)], [a_round(*(0.98 * x for x in LENGTHS))])
    assert found.change is not None and -0.03 < found.change < -0.01 and not found.drift


def test_noise_alone_hardly_ever_is_drift() -> None:
    """Each prompt's length varies by 10 % from round to round; one false alarm in 1,000 is allowed for."""
    rng, alarms = random.Random(5), 0
    for _ in range(1000):
        windows = [[a_round(*(x * rng.gauss(1, 0.1) for x in LENGTHS))] for _ in range(2)]
        alarms += judged(*windows).drift
    assert alarms <= 6


def test_one_prompt_alone_has_a_change_but_no_drift() -> None:
    found = judged([a_round(3.0)], [a_round(1.5)])
    assert found.change == pytest.approx(-0.5)
    assert (found.low, found.high, found.drift) == (None, None, False)


def pooled(*lengths: float) -> list[Round]:
    return [{POOLED: counted(x, 1000)} for x in lengths]


def test_windows_counted_together_are_compared_round_by_round() -> None:
    assert judged(pooled(3.0, 3.02, 2.99, 3.01), pooled(2.6, 2.62, 2.59, 2.61)).drift
    calm = judged(pooled(3.0, 2.5, 3.4, 2.8), pooled(2.6, 3.1, 2.9, 2.7))
    assert calm.change is not None and not calm.drift


def test_one_round_a_window_has_no_noise_to_be_beyond() -> None:
    found = judged(pooled(3.0), pooled(2.0))
    assert found.change == pytest.approx(-1 / 3) and found.low is None and not found.drift


@pytest.mark.parametrize("last", [[], [{}], [{"p0": Counters()}], [{"other": counted(2)}]])
def test_without_counters_nothing_is_known(last: list[Round]) -> None:
    found = judged([{"p0": counted(2.0)}], last)
    assert (found.change, found.low, found.high, found.drift) == (None, None, None, False) or last == [
        {"other": counted(2)}
    ]


def test_lookup_is_told_by_its_visible_tokens() -> None:
    """Half of the steps carry no draft, so tokens a step fall while the accepted drafts a verify step stay."""

    def lookup(steps: int) -> Round:
        return {f"p{i}": Counters(50, 150, 50, None, steps + i, 200) for i in range(6)}

    assert judged([lookup(100)], [lookup(150)], draftless=True).drift
    assert not judged([lookup(100)], [lookup(150)]).drift
