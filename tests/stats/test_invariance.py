"""What must not matter to the judge."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State
from matrix.stats.judge import RunPoint, judge_series
from matrix.stats.noise import NoiseFloor
from matrix.stats.paired import Sums, compare
from tests.stats.build import ended, states

COUNTS = st.tuples(st.integers(20, 200), st.floats(0, 3)).map(
    lambda row: Counters(steps=row[0], proposed=3 * row[0], accepted=round(row[0] * row[1]))
)
PROMPTS = st.dictionaries(st.sampled_from([f"p{i}" for i in range(20)]), COUNTS, max_size=20)
OUTCOMES = st.sampled_from([Outcome.OK] * 8 + list(Outcome))


@st.composite
def series(draw: st.DrawFn) -> list[RunPoint]:
    return [
        RunPoint(f"run-{i}", f"{i}", draw(OUTCOMES), Method.EAGLE3, "why", k=3, prompts=draw(PROMPTS))
        for i in range(draw(st.integers(1, 6)))
    ]


@given(series(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_prompts(points: list[RunPoint], random: object) -> None:
    shuffled = []
    for point in points:
        rows = list(point.prompts.items())
        random.shuffle(rows)  # type: ignore[attr-defined]
        shuffled.append(replace(point, prompts=dict(rows)))
    assert judge_series(shuffled) == judge_series(points)


@given(
    series(),
    st.integers(0, 6),
    st.sampled_from([o for o in Outcome if o.tier in ("environment", "infra", "ambiguous")]),
)
@settings(max_examples=60, deadline=None)
def test_a_revision_that_says_nothing(points: list[RunPoint], place: int, outcome: Outcome) -> None:
    more = [*points[:place], ended("odd", outcome), *points[place:]]
    plain, with_odd = judge_series(points), judge_series(more)
    for metric in Metric:
        assert {r: s for r, s in states(with_odd, metric).items() if r != "odd"} == states(plain, metric)
    assert with_odd.flips == plain.flips


@given(series(), st.integers(2, 50))
@settings(max_examples=60, deadline=None)
def test_more_steps_at_the_same_rates_only_make_a_collapse_surer(points: list[RunPoint], factor: int) -> None:
    scaled = [replace(p, prompts={n: _times(c, factor) for n, c in p.prompts.items()}) for p in points]
    served = [p for p in points if p.outcome is Outcome.OK]
    assume(all(sum(c.steps or 0 for c in p.prompts.values()) >= 30 for p in served))
    before, after = states(judge_series(points)), states(judge_series(scaled))
    assert all(after[r] is State.COLLAPSED for r in before if before[r] is State.COLLAPSED)
    assume(State.COLLAPSED not in after.values())
    assert after == before


@given(
    st.lists(st.tuples(*[st.integers(1, 500)] * 4), min_size=2, max_size=64),
    st.integers(1, 8),
    st.integers(1, 8),
    st.floats(0, 0.05),
)
@settings(deadline=None)
def test_swapping_the_sides_only_turns_the_sign(
    rows: list[tuple[int, ...]], boots_before: int, boots_after: int, noise: float
) -> None:
    tokens_before, steps_before, tokens_after, steps_after = np.array(rows, dtype=np.float64).T
    before, after = Sums(tokens_before, steps_before, boots_before), Sums(tokens_after, steps_after, boots_after)
    floor = NoiseFloor(noise**2, 0.0, 5)
    there = compare(before, after, floor, confidence=0.95, resolution=0.01)
    back = compare(after, before, floor, confidence=0.95, resolution=0.01)
    assert (1 + there.change) * (1 + back.change) == pytest.approx(1)
    assert there.p_fall == pytest.approx(back.p_rise)
    assert there.low <= there.change <= there.high
    assert there.p_fall + there.p_rise == pytest.approx(1)


@given(series())
@settings(max_examples=60, deadline=None)
def test_judging_twice_gives_the_same_and_every_metric_once(points: list[RunPoint]) -> None:
    first = judge_series(points)
    assert judge_series(points) == first
    for revision in first.revisions:
        assert tuple(v.metric for v in revision.verdicts) == tuple(Metric)
        assert all(v.reason and "\n" not in v.reason for v in revision.verdicts)


def _times(counters: Counters, factor: int) -> Counters:
    return Counters(
        steps=(counters.steps or 0) * factor,
        proposed=(counters.proposed or 0) * factor,
        accepted=(counters.accepted or 0) * factor,
    )
