"""The search: any history, any skips, any order of answers."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrix.bisect.answers import Answer, Rates, Said
from matrix.bisect.history import GOOD_END, History, from_parents, holds, linear
from matrix.bisect.search import Phase, Settings, State, begin, culprit, decide
from tests.bisect.histories import erring, histories, search, truth

NAMES = [f"r{i}" for i in range(64)]


@given(histories(), st.data())
@settings(max_examples=150, deadline=None)
def test_without_errors_the_culprit_is_named(history: History, data: st.DataObject) -> None:
    culprit_ = data.draw(st.integers(0, len(history) - 1))
    _, end, _ = search(begin(history), truth(history, culprit_))
    assert end.phase is Phase.DONE
    assert end.suspects
    assert end.suspects.changes == (culprit_,)
    assert end.suspects.mass >= Settings().confidence


@given(histories(), st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_cannot_be_tested_the_range_holds_the_culprit(history: History, data: st.DataObject) -> None:
    culprit_ = data.draw(st.integers(0, len(history) - 1))
    broken = data.draw(st.sets(st.integers(0, len(history) - 2))) if len(history) > 1 else set()
    say = truth(history, culprit_)
    state, end, _ = search(begin(history), lambda p: Said.SKIP if p in broken else say(p))
    assert end.suspects
    assert culprit_ in end.suspects.changes
    # Whoever shares the range cannot be told from the culprit by any point that can be tested.
    kept = [p for p in range(len(history)) if p not in broken]
    for other in end.suspects.changes:
        assert (holds(history)[kept, other] == holds(history)[kept, culprit_]).all()
    asked = [a.point for a in state.answers]
    assert all(asked.count(p) <= 1 for p in broken)


@given(histories(least=2), st.randoms(use_true_random=False), st.data())
@settings(max_examples=80, deadline=None)
def test_the_order_of_answers_does_not_matter(history: History, shuffler: Random, data: st.DataObject) -> None:
    points = st.integers(GOOD_END, len(history) - 1)
    said = st.sampled_from(Said)
    ratio = st.none() | st.floats(-30, 30)
    drawn = data.draw(st.lists(st.builds(Answer, points, said, ratio), max_size=12))
    shuffled = list(drawn)
    shuffler.shuffle(shuffled)
    tolerant = begin(history, Settings(tolerate=True))
    one, other = tolerant.told(drawn), tolerant.told(shuffled)
    assert np.array_equal(culprit(one), culprit(other))
    assert decide(one) == decide(other)


@given(histories(), st.randoms(use_true_random=False), st.integers(1, 4), st.data())
@settings(max_examples=80, deadline=None)
def test_answers_that_come_in_any_order_or_were_never_asked_for_end_at_the_culprit(
    history: History, dice: Random, parallel: int, data: st.DataObject
) -> None:
    """Answers by hand first; then of the points that run at a time any may come first, or be lost and asked again."""
    culprit_ = data.draw(st.integers(0, len(history) - 1))
    broken = data.draw(st.sets(st.integers(0, len(history) - 1))) - {len(history) - 1}
    say = truth(history, culprit_)
    by_hand = data.draw(st.lists(st.integers(GOOD_END, len(history) - 1), max_size=6))
    state = begin(history, Settings(parallel=parallel)).told(
        Answer(p, Said.SKIP if p in broken else say(p)) for p in by_hand
    )
    for _ in range(400):
        if not (points := list(decide(state).points)):
            break
        dice.shuffle(points)
        come = points[: dice.randint(1, len(points))]
        state = state.told(Answer(p, Said.SKIP if p in broken else say(p)) for p in come)
    end = decide(state)
    assert end.phase in (Phase.DONE, Phase.STOPPED)
    assert end.suspects
    assert culprit_ in end.suspects.changes
    assert broken or end.suspects.changes == (culprit_,)


@given(histories(least=2, most=12), st.data())
@settings(max_examples=60, deadline=None)
def test_a_judgement_is_the_limit_of_a_very_strong_measurement(history: History, data: st.DataObject) -> None:
    """The closed form and the quadrature are two ways to the same integral over the error rates."""
    points = st.integers(GOOD_END, len(history) - 1)
    said = st.sampled_from([Said.GOOD, Said.BAD])
    judged = data.draw(st.lists(st.builds(Answer, points, said), min_size=1, max_size=20))
    rates = Rates(1, 10, 0, 10)
    measured = [replace(a, ratio=150.0 if a.said is Said.BAD else -150.0) for a in judged]
    one, other = (culprit(begin(history, rates=rates).told(answers)) for answers in (judged, measured))
    assert np.allclose(one, other, rtol=1e-9, atol=1e-12)


def test_two_weak_measurements_at_one_point_share_their_doubt() -> None:
    """Likelihoods by hand, by a fine sum over the error rate: two wrong measurements are likelier than one by one."""
    state = begin(linear(["a", "b"]), rates=Rates(0, 10, 0, 10)).told([Answer(0, Said.BAD, 3.0)] * 2)
    belief, steps = state.settings.belief, (np.arange(200_000) + 0.5) / 200_000
    share = steps ** (belief.a - 1) * (1 - steps) ** (belief.b + 10 - 1)
    share /= share.sum()
    if_bad = (share * ((1 - steps) * np.exp(3.0) + steps) ** 2).sum()
    if_good = (share * ((1 - steps) + steps * np.exp(3.0)) ** 2).sum()
    assert culprit(state)[0] == pytest.approx(if_bad / (if_bad + if_good), rel=1e-5)


@pytest.mark.parametrize(("wrong_bad", "wrong_good"), [(0.02, 0.2), (0.1, 0.1)])
def test_what_is_stated_holds_though_the_error_rates_are_not_known(wrong_bad: float, wrong_good: float) -> None:
    """Ten A/A runs at each end are all that is told; `python -m benchmarks bisection` shows it on 10,000 trials."""
    trials, right, stated = 150, 0, 0.0
    history = linear(NAMES)
    for seed in range(trials):
        dice = np.random.default_rng((5, seed))
        culprit_ = int(dice.integers(64))
        noisy = erring(history, culprit_, dice.random, wrong_bad, wrong_good)
        rates = Rates(int(dice.binomial(10, wrong_bad)), 10, int(dice.binomial(10, wrong_good)), 10)
        _, end, _ = search(begin(history, Settings(confidence=0.8, tolerate=True), rates), noisy)
        assert end.suspects
        right += culprit_ in end.suspects.changes
        stated += end.suspects.mass
    assert stated / trials >= 0.8
    assert right / trials >= stated / trials - 0.01


@given(histories(least=2), st.integers(0, 2**32), st.data())
@settings(max_examples=60, deadline=None)
def test_noise_ends_in_an_answer_that_is_certain_enough_or_says_that_it_is_not(
    history: History, seed: int, data: st.DataObject
) -> None:
    culprit_ = data.draw(st.integers(0, len(history) - 1))
    noisy = erring(history, culprit_, np.random.default_rng(seed).random, 0.1, 0.1)
    _, end, _ = search(begin(history, Settings(tolerate=True)), noisy)
    assert end.phase in (Phase.DONE, Phase.STOPPED)
    assert end.phase is Phase.STOPPED or (end.suspects and end.suspects.mass >= Settings().confidence)


def test_both_ends_come_first_and_the_culprit_and_its_parent_again_at_the_end() -> None:
    history = linear(NAMES)
    asked: list[int] = []
    say = truth(history, 41)

    def seen(point: int) -> Said:
        asked.append(point)
        return say(point)

    _, end, phases = search(begin(history, rates=Rates(0, 40, 0, 40)), seen)
    assert asked[:2] == [GOOD_END, 63]
    assert sorted(asked[-2:]) == [40, 41]
    assert 6 <= phases.count(Phase.SEARCH) <= 7
    assert end.suspects
    assert (end.suspects.bad, end.suspects.good) == (41, (40,))


def test_a_contradiction_at_verification_goes_on_searching() -> None:
    history = linear(NAMES)
    say = truth(history, 20)
    lies = {31: [Said.GOOD]}

    _, end, _ = search(begin(history), lambda p: lies[p].pop() if lies.get(p) else say(p))
    assert end.suspects
    assert end.suspects.changes == (20,)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([Answer(-1, Said.BAD)], "the good end old is bad"),
        ([Answer(-1, Said.GOOD), Answer(63, Said.GOOD)], "the bad end r63 is good"),
        ([Answer(-1, Said.GOOD), Answer(-1, Said.BAD), Answer(63, Said.BAD)], "the good end old is flaky: 1 of 2"),
        ([Answer(-1, Said.GOOD), Answer(63, Said.SKIP)], "the bad end r63 cannot be tested"),
    ],
)
def test_ends_that_do_not_differ_are_refused(answers: list[Answer], words: str) -> None:
    decision = decide(begin(linear(NAMES, "old")).told(answers))
    assert decision.phase is Phase.REFUSED
    assert decision.points == ()
    assert words in decision.reason


def test_a_cap_on_runs_stops_with_the_range_so_far() -> None:
    history = linear(NAMES)
    _, end, _ = search(begin(history, Settings(most_runs=3)), truth(history, 41))
    assert end.phase is Phase.STOPPED
    assert end.suspects
    assert end.suspects.mass < 0.95
    assert "3 runs" in end.reason


def test_three_at_a_time_need_half_the_rounds() -> None:
    history = linear(NAMES)

    def rounds(parallel: int) -> int:
        state, count = begin(history, Settings(parallel=parallel)), 0
        while (decision := decide(state)).points:
            count += decision.phase is Phase.SEARCH
            assert len(set(decision.points)) == len(decision.points) <= max(parallel, 2)
            state = state.told(Answer(p, truth(history, 41)(p)) for p in decision.points)
        return count

    assert rounds(3) <= 4 < 6 <= rounds(1)


def test_a_cheap_point_is_preferred_to_a_slightly_better_one() -> None:
    history = linear(NAMES)
    ends = [Answer(GOOD_END, Said.GOOD), Answer(63, Said.BAD)]
    state = begin(history).told(ends)
    assert decide(state).points == (31,)
    cached = replace(state, seconds=tuple(60.0 if i == 36 else 900.0 for i in range(64)))
    assert decide(cached).points == (36,)


def test_a_likely_change_draws_the_search_to_its_sides() -> None:
    history = linear(NAMES)
    ends = [Answer(GOOD_END, Said.GOOD), Answer(63, Said.BAD)]
    state = replace(begin(history).told(ends), prior=tuple(1000.0 if i == 10 else 1.0 for i in range(64)))
    assert decide(state).points[0] in (9, 10)


def test_measured_error_rates_make_the_same_answers_less_certain() -> None:
    history = linear(NAMES)
    answers = [Answer(30, Said.GOOD), Answer(31, Said.BAD)] * 2
    sure = begin(history, rates=Rates(0, 50, 0, 50)).told(answers)
    unsure = begin(history, rates=Rates(10, 50, 10, 50)).told(answers)
    assert culprit(sure)[31] > 0.9 > 0.7 > culprit(unsure)[31]


def test_a_strong_measurement_tells_more_than_a_weak_one() -> None:
    history = linear(NAMES)
    strong = culprit(begin(history).told([Answer(31, Said.BAD, ratio=20.0)]))
    weak = culprit(begin(history).told([Answer(31, Said.BAD, ratio=0.5)]))
    none = culprit(begin(history).told([Answer(31, Said.BAD, ratio=0.0)]))
    assert strong[:32].sum() > weak[:32].sum() > none[:32].sum()
    assert none[:32].sum() == pytest.approx(0.5)


def test_histories_refuse_what_is_none() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        linear([])
    with pytest.raises(ValueError, match="occurs twice"):
        linear(["a", "a"])
    with pytest.raises(ValueError, match="occurs twice"):
        linear(["a", "b"], good="b")
    with pytest.raises(ValueError, match="before its child"):
        History(("a", "b"), ((1,), ()))
    with pytest.raises(ValueError, match="does not descend"):
        History(("a", "b"), ((), ()))
    with pytest.raises(ValueError, match="not in the range"):
        from_parents(["a"], {"a": ["elsewhere"]})
    assert from_parents(["a", "b"], {"a": ["base"], "b": ["a", "side"]}, "base", ["side"]).parents == ((), (0,))
    with pytest.raises(ValueError, match="positive weight"):
        culprit(State(linear(["a"]), (0.0,), (1.0,)))
