"""How far a search is."""

import numpy as np
import pytest

from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, linear
from matrix.bisect.search import State, begin, culprit, decide
from matrix.bisect.standing import runs_left, span


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([1.0], (0, 0)),
        ([0.0, 0.0, 1.0], (2, 2)),
        ([0.02, 0.03, 0.9, 0.03, 0.02], (2, 2)),
        ([0.05, 0.45, 0.45, 0.05], (1, 2)),
        ([0.25] * 4, (0, 3)),
        ([0.5, 0.0, 0.0, 0.5], (0, 3)),
    ],
)
def test_the_shortest_range_with_the_share(shares: list[float], expected: tuple[int, int]) -> None:
    assert span(np.array(shares)) == expected


def test_the_range_holds_the_share_and_none_shorter_does() -> None:
    generator = np.random.default_rng(5)
    for _ in range(200):
        shares = generator.dirichlet(np.full(generator.integers(1, 30), 0.3))
        first, last = span(shares)
        assert shares[first : last + 1].sum() >= 0.9 - 1e-6
        length = last - first
        shorter = [shares[i : i + length].sum() for i in range(len(shares) - length + 1)] if length else []
        assert all(total < 0.9 + 1e-6 for total in shorter)


def _searched(state: State, bad_from: int) -> list[int]:
    """Estimates before each run of a search whose answers are all right, until it ends."""
    left = [runs_left(state, culprit(state))]
    while points := decide(state).points:
        for point in points:
            said = Said.BAD if point != GOOD_END and point >= bad_from else Said.GOOD
            state = state.told([Answer(point, said)])
            left.append(runs_left(state, culprit(state)))
    return left


@pytest.mark.parametrize(("count", "bad_from"), [(1, 0), (11, 6), (64, 40), (256, 0)])
def test_the_estimate_falls_to_nothing_and_is_near_what_it_takes(count: int, bad_from: int) -> None:
    left = _searched(begin(linear([f"p{i}" for i in range(count)])), bad_from)
    assert left[-1] == 0 and all(n > 0 for n in left[:-1])
    assert abs(left[0] - (len(left) - 1)) <= max(3, 0.5 * len(left))
