"""The interval of a comparison that was looked at before and could have ended there.

Boots are bought until the answer is clear, so an estimate that happens to be extreme ends the search, and the plain
interval around it holds the true change too seldom. Outcomes are therefore ordered by the look at which they ended
(stagewise: Armitage 1957; Tsiatis, Rosner and Mehta 1984): a fall shown earlier is further down, one excluded earlier
further up, and among those that came to the same look the estimate decides. The interval holds every true change under
which what was seen lies in neither tail of that order. With one look that is the plain interval.

The estimates D_j of the looks are taken as normal around the true value with variances v_j and, since the boots of a
look are among those of the next, with the covariance of two looks equal to the variance of the later one. Then
S_j = D_j / v_j has independent increments, the density of S_j on the way that led to no answer follows by one integral
a look, and that for another true value d differs by the factor exp(d S_j - d^2 / (2 v_j)) alone.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from matrix.stats.answer import level
from matrix.stats.noise import Array, NoiseFloor, NoiseFloors, many, without_prior
from matrix.stats.paired import Comparison, freedom
from matrix.stats.settings import JudgeSettings

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_APART = 1.02
"""Least ratio of the variances of two looks; nearer ones saw the same and count as one."""
_REACH, _HALVINGS = 8.0, 22
"""The ends are sought this many standard errors of the first look around the estimate, halving so often."""
_BOUGHT, _LEAST = 1 / 6, 1.5
"""Share of the degrees of freedom of all boots that counts where fewer were known at the first look, and the least that
counts. With these the intervals of the simulation hold in 93.8 to 95.7 of 100 (`python -m benchmarks judge`).
"""
_SELDOM = 0.01
"""Share of searches that come to the present look, below which there was no search (see `_ends`)."""


@dataclass(frozen=True, slots=True)
class _Looks:
    """A row a look, a column a comparison: standard deviation of the estimate, and the estimates from which downwards
    and upwards the answer would have been clear. The last row is the present look.
    """

    spread: Array
    low: Array
    high: Array


def stated(
    found: Comparison[float], boots: tuple[int, int], began: int, floor: NoiseFloor, settings: JudgeSettings
) -> Comparison[float]:
    """A comparison of accept lengths with the interval that may be stated; `boots` are those before and after, `began`
    those that the earlier side had at the first look. Once boots were bought the interval rests on what they showed:
    an assumption about the noise guards the answer, and would make the interval wider than it says.
    """
    if min(boots) < 2:
        return found
    mean, within = np.array([found.mean]), np.array([found.within])
    measured = without_prior(floor, settings.assumed_noise)
    low, high = intervals(mean, within, found.pairs, boots, many([measured if measured.df else floor]), settings, began)
    return replace(found, low=float(low[0]), high=float(high[0]))


def intervals(
    mean: Array,
    within: Array,
    pairs: int,
    boots: tuple[int, int],
    floors: NoiseFloors,
    settings: JudgeSettings,
    began: int = 1,
) -> tuple[Array, Array]:
    """(low, high) as changes, a share each, of many comparisons with the same boots; `mean` and `within` as in
    `Comparison`.
    """
    sides = _sides(boots, began, settings.max_boots)
    looks = _Looks(
        *map(np.array, zip(*(_look(now, sides, within, pairs, floors, settings) for now in sides), strict=True))
    )
    low, high = np.empty_like(mean), np.empty_like(mean)
    masks = _apart(looks)
    for mask in np.unique(masks, axis=1).T:
        rows = np.flatnonzero((masks == mask[:, None]).all(0))
        part = _Looks(*(getattr(looks, name)[mask][:, rows] for name in _Looks.__slots__))
        low[rows], high[rows] = _ends(mean[rows], part, settings.confidence)
    return np.expm1(low), np.expm1(high)


def _sides(boots: tuple[int, int], began: int, most: int) -> list[tuple[int, int]]:
    """Boots before and after at each look up to the present one: the poorer side doubles (`answer.boots_wanted`), the
    other had what it has.
    """
    before, after = boots
    poorer = [1]
    while poorer[-1] < min(boots):
        poorer.append(min(2 * poorer[-1], max(most, poorer[-1] + 1), *boots))
    return [
        (min(before, max(n, began)) if before <= after else before, n if after <= before else after) for n in poorer
    ]


def _look(
    now: tuple[int, int],
    sides: list[tuple[int, int]],
    within: Array,
    pairs: int,
    floors: NoiseFloors,
    settings: JudgeSettings,
) -> tuple[Array, Array, Array]:
    """Spread and bounds at the look with the boots `now`.

    The bounds follow from the noise that was known then. The spread follows from all that is known now, but on fewer
    degrees of freedom (`_BOUGHT`): whether boots were bought hung on the noise that they showed themselves.
    """
    shares, last = sum(1 / n for n in now), sides[-1]
    inner = within + floors.within * (shares - sum(1 / n for n in last))
    then = _known(floors, sum(last) - sum(now), settings)
    df = freedom(inner, pairs, then, shares)
    told: Array = np.sqrt(inner + then.boot * shares)
    low: Array = np.minimum(math.log1p(-settings.relevant), stdtrit(df, level(min(now), settings)) * told)
    high: Array = math.log1p(-settings.caught) - stdtrit(df, settings.sure) * told
    before = floors.df - (sum(last) - sum(sides[0]))
    counted = np.maximum.reduce([before, _BOUGHT * floors.df, np.minimum(_LEAST, floors.df)])
    df = freedom(inner, pairs, replace(floors, df=counted), shares)
    half = (1 + settings.confidence) / 2
    wider: Array = stdtrit(df, half) / ndtri(half)
    spread: Array = np.sqrt(inner + floors.boot * shares) * wider
    return spread, low, high


def _known(floors: NoiseFloors, fewer: int, settings: JudgeSettings) -> NoiseFloors:
    """The floors without the degrees of freedom of `fewer` boots; noise is assumed for those that are missing then."""
    known = np.maximum(floors.df - fewer, 0.0)
    missing = np.maximum(settings.least_df - known, 0.0)
    share = known / (known + missing)
    variance = share * floors.variance + (1 - share) * settings.assumed_noise**2
    return NoiseFloors(variance, share * floors.within, known + missing)


def _apart(looks: _Looks) -> np.ndarray:
    """Which looks count: the present one, and earlier ones that saw something else and could end without an answer."""
    count = np.zeros(looks.spread.shape, dtype=np.bool_)
    count[-1] = True
    last = looks.spread[-1]
    for at in range(len(count) - 2, -1, -1):
        count[at] = (looks.high[at] > looks.low[at]) & (looks.spread[at] ** 2 > _APART * last**2)
        last = np.where(count[at], looks.spread[at], last)
    return count


def _ends(mean: Array, looks: _Looks, confidence: float) -> tuple[Array, Array]:
    """Both ends. Where the looks would hardly ever have come so far, the boots were not bought for want of an answer:
    then the ends are those of a single look.
    """
    way = _way(mean, looks)
    shares = np.array([[(1 + confidence) / 2], [(1 - confidence) / 2]])
    ends = -ndtri(shares) * looks.spread[-1]
    searched = way[-1][1].sum(-1) >= _SELDOM if way else np.zeros(len(mean), dtype=np.bool_)
    if searched.any():
        part = _Looks(*(getattr(looks, name)[:, searched] for name in _Looks.__slots__))
        found = [(nodes[searched], mass[searched]) for nodes, mass in way]
        ends[:, searched] = _search(mean[searched], part, found, shares)
    return mean + ends[0], mean + ends[1]


def _search(mean: Array, looks: _Looks, way: "_Way", shares: Array) -> Array:
    """How far the ends lie from `mean`, by halving: the higher the true value, the fewer outcomes at or below the one
    that was seen; a row for each of `shares`.
    """
    least = np.tile(-_REACH * looks.spread[0], (len(shares), 1))
    most = -least
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        above = _below(middle, mean, looks, way) > shares
        least, most = np.where(above, middle, least), np.where(above, most, middle)
    result: Array = (least + most) / 2
    return result


_Way = list[tuple[Array, Array]]
"""For each look that gave no answer: nodes of S - mean x information, and the density times the node's weight, where
the true value is `mean`; a row a comparison.
"""


def _way(mean: Array, looks: _Looks) -> _Way:
    found: _Way = []
    information = 1 / looks.spread**2
    for at in range(len(information) - 1):
        low, high = ((bound[at] - mean) * information[at] for bound in (looks.low, looks.high))
        nodes = ((low + high)[:, None] + (high - low)[:, None] * _NODES) / 2
        weights = (high - low)[:, None] / 2 * _WEIGHTS
        if not found:
            density = _normal(nodes, information[0][:, None])
        else:
            steps = nodes[:, :, None] - found[-1][0][:, None, :]
            gained = (information[at] - information[at - 1])[:, None, None]
            density = (_normal(steps, gained) * found[-1][1][:, None, :]).sum(-1)
        found.append((nodes, density * weights))
    return found


def _normal(values: Array, variance: Array) -> Array:
    result: Array = np.exp(-(values**2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    return result


def _below(shift: Array, mean: Array, looks: _Looks, way: _Way) -> Array:
    """Share of outcomes at or below the one seen, where the true value is `mean` + `shift` (any leading axes)."""
    information = 1 / looks.spread**2
    last = len(information) - 1
    bounds = [(looks.low[at] - mean) * information[at] for at in range(last)] + [np.zeros_like(mean)]
    total = ndtr((bounds[0] - shift * information[0]) / np.sqrt(information[0]))
    for at, (nodes, mass) in enumerate(way, start=1):
        gained = information[at] - information[at - 1]
        tilt = np.exp(shift[..., None] * nodes - (shift**2 * information[at - 1] / 2)[..., None])
        left = (bounds[at] - shift * gained)[..., None] - nodes
        total = total + (mass * tilt * ndtr(left / np.sqrt(gained)[:, None])).sum(-1)
    return np.asarray(total)
