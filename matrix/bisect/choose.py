"""Which points to try next: most information about the culprit for each expected second.

A run at x says bad with probability q (1 - w_g) + (1 - q) w_b, where q is the probability that x holds the culprit and
w_g, w_b are the error rates. Its information is the entropy of that, less the entropy that the errors alone have
(mutual information; Cover and Thomas, Elements of Information Theory, section 2.4).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, History, holds, weights
from matrix.bisect.posterior import Floats

SKIP_MEAN, SKIP_WEIGHT, SKIP_FADE = 0.2, 2.0, 0.5
"""Belief that a point cannot be tested: its mean, its weight in answers, and how fast a neighbour's skip fades."""


@dataclass(frozen=True, slots=True)
class Odds:
    """What the choice rests on: the posterior, shape (n,), and the error rates (wrong bads, wrong goods)."""

    culprit: Floats
    wrong_bad: float
    wrong_good: float


def choose(
    history: History,
    odds: Odds,
    seconds: Sequence[float],
    answers: Sequence[Answer],
    barred: Collection[int],
    count: int = 1,
) -> tuple[int, ...]:
    """Up to `count` different points to run at the same time, the most telling first; empty when none tells anything.

    `seconds` is what a run at each point is expected to cost, `barred` are points that must not be asked.
    """
    usable = np.ones(len(history), dtype=np.bool_)
    usable[[i for i in barred if i != GOOD_END]] = False
    worth = (1 - skip_chances(history, answers)) / np.asarray(seconds, dtype=np.float64)
    chosen: list[int] = []
    paths = odds.culprit[None, :]
    while len(chosen) < count:
        gain = np.where(usable, _information(history, odds, paths), 0.0)
        best = int(np.argmax(gain * worth))
        if gain[best] <= _NOTHING:
            break
        chosen.append(best)
        usable[best] = False
        paths = _split(history, odds, paths, best)
    return tuple(chosen)


_NOTHING = 1e-9


def skip_chances(history: History, answers: Sequence[Answer]) -> Floats:
    """Shape (n,): how probable it is that a point cannot be tested. Neighbours of a skip are more so."""
    tries, skips = np.zeros(len(history) + 1), np.zeros(len(history) + 1)
    for answer in answers:
        tries[answer.point + 1] += 1
        skips[answer.point + 1] += answer.said is Said.SKIP
    told = _nearby(skips) + SKIP_MEAN * SKIP_WEIGHT
    return np.asarray(told / (_nearby(tries) + SKIP_WEIGHT), dtype=np.float64)


def _nearby(counts: Floats) -> Floats:
    """Shape (n,) from (n + 1,), the good end first: all counts, each fading with its distance."""
    return np.convolve(counts, _FADING)[_REACH + 1 : -_REACH]


_REACH = 40
_FADING = SKIP_FADE ** np.abs(np.arange(-_REACH, _REACH + 1))
"""How much a neighbour's answer counts, by distance; beyond 40 points it is less than one part in 10^12."""


def _information(history: History, odds: Odds, paths: Floats) -> Floats:
    """Shape (n,): what an answer at each point tells beyond the answers that are already under way.

    `paths` has one row for each way these may come out: the joint probability of that way and each culprit.
    """
    whole = paths.sum(axis=1, keepdims=True)
    inside = paths @ weights(history).T
    bad = odds.wrong_bad * (whole - inside) + (1 - odds.wrong_good) * inside
    answer = (entr(bad) + entr(whole - bad)).sum(axis=0) - entr(whole).sum()
    held = inside.sum(axis=0)
    noise = (1 - held) * _binary(odds.wrong_bad) + held * _binary(odds.wrong_good)
    return np.asarray(answer - noise, dtype=np.float64)


def _split(history: History, odds: Odds, paths: Floats, point: int) -> Floats:
    held: NDArray[np.bool_] = holds(history)[point]
    bad = np.where(held, 1 - odds.wrong_good, odds.wrong_bad)
    return np.concatenate([paths * bad, paths * (1 - bad)])


def _binary(share: float) -> float:
    return float(entr(share) + entr(1 - share))
