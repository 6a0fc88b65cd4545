"""The judge beside Apache Otava and asv's step detection, on the same series of pooled accept lengths.

All are asked for falls of at least the relevant 3 %. Two rows are ours: the change points alone, which see what the
peers see and the noise that boots of sibling series showed; and the whole judge on runs of sixteen prompts with these
pooled values, which may ask for more boots of the newest revision, as it does in a sweep.
"""

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from benchmarks.judge_data import Floats
from benchmarks.judge_series import SIBLINGS, bought_until, falls
from matrix.stats.settings import DEFAULTS
from matrix.stats.steps import find_steps, series_noise

SERIES, POINTS, NEAR, SEED, LEVEL = 1000, 100, 5, 20260102, 2.55
NOISES, FALLS = (0.01, 0.02), (0.05, 0.10)
DELAYED, LATEST, ALL = 100, 20, 10_000
Found = list[list[int]]
"""For each series where a relevant fall begins."""
Finder = Callable[[Floats, Floats], Found]
"""From values (series, points) and the noise variance that boots showed, one a series."""


Until = Callable[[Floats, float, int, float], tuple[int, int]]
"""From values, noise variance, place of the fall and true noise: revisions until it is flagged, boots bought."""


@dataclass(frozen=True, slots=True)
class Tool:
    """`series`: how many it is asked about; `timed`: how many of the 10,000, the rest of the time is extrapolated."""

    name: str
    find: Finder
    until: Until
    series: int = SERIES
    timed: int = ALL


def steps(values: Floats, noise: Floats) -> Found:
    logs = np.log(values)
    variance = np.maximum(series_noise(logs), noise)
    found = find_steps(logs, np.broadcast_to(variance[:, None], logs.shape))
    low = np.diff(found.levels, axis=1) <= np.log1p(-DEFAULTS.relevant)
    return [(np.flatnonzero(row) + 1).tolist() for row in low & found.starts[:, 1:]]


def otava(values: Floats, noise: Floats) -> Found:
    compute = importlib.import_module("otava.analysis").compute_change_points
    rows = (compute(row.tolist())[0] for row in values)
    return [[int(p.index) for p in row if _relevant(p.stats.mean_1, p.stats.mean_2)] for row in rows]


def asv(values: Floats, noise: Floats) -> Found:
    detect = importlib.import_module("asv.step_detect").detect_steps
    rows = (detect(row.tolist()) for row in values)
    return [[b[0] for a, b in pairwise(row) if _relevant(a[2], b[2])] for row in rows]


def _relevant(before: float, after: float) -> bool:
    return bool(after <= before * (1 - DEFAULTS.relevant))


def _replayed(find: Finder) -> Until:
    """How long a finder that only sees the values takes, one more revision at a time."""

    def until(values: Floats, noise: float, place: int, _: float) -> tuple[int, int]:
        for seen in range(LATEST):
            (found,) = find(values[None, : place + seen + 1], np.array([noise]))
            if any(abs(at - place) <= NEAR for at in found):
                return seen, 0
        return LATEST, 0

    return until


def _judged(values: Floats, noise: float, place: int, sd: float) -> tuple[int, int]:
    rng = np.random.default_rng([SEED, place])
    return bought_until(values, noise, place, (sd, rng), min(LATEST, POINTS - place))


OURS = (
    Tool("specmatrix, change points", steps, _replayed(steps)),
    Tool("specmatrix, the judge", falls, _judged, series=100, timed=50),
)
PEERS = {
    "otava": Tool("Apache Otava", otava, _replayed(otava), timed=1000),
    "asv": Tool("asv", asv, _replayed(asv), timed=1000),
}


def table(tools: Sequence[Tool]) -> str:
    """Markdown: a column for each tool."""
    made = [(fall, noise) for fall in FALLS for noise in NOISES]
    heads = ["", *(f"no fall, noise {_p(n)}: false flags" for n in NOISES), "one spike of 15 %: false flags"]
    heads += [f"fall of {_p(fall)}, noise {_p(noise)}: missed" for fall, noise in made]
    heads += [f"fall of {_p(fall)}, noise {_p(noise)}: revisions until flagged" for fall, noise in made]
    heads.append(f"processor time of {ALL:,} series")
    lines = [f"| {' | '.join(row)} |" for row in zip(heads, *(_cells(tool) for tool in tools), strict=True)]
    lines.insert(1, "|" + " --- |" * (1 + len(tools)))
    return "\n".join(lines)


def _p(share: float) -> str:
    return f"{100 * share:g} %"


def _cells(tool: Tool) -> list[str]:
    false = [sum(bool(row) for row in tool.find(*_series(noise, count=tool.series))) for noise in NOISES]
    spikes = sum(bool(row) for row in tool.find(*_series(NOISES[0], spike=0.15, count=tool.series)))
    made = [(fall, noise) for fall in FALLS for noise in NOISES]
    missed = [_missed(tool, fall, noise) for fall, noise in made]
    delays = [_delay(tool, fall, noise) for fall, noise in made]
    return [tool.name, *(f"{n} of {tool.series:,}" for n in (*false, spikes, *missed)), *delays, _time(tool)]


def _missed(tool: Tool, fall: float, noise: float) -> int:
    found = tool.find(*_series(noise, fall, count=tool.series))
    hits = (any(abs(at - p) <= NEAR for at in row) for row, p in zip(found, _places(tool.series), strict=True))
    return tool.series - sum(hits)


def _delay(tool: Tool, fall: float, noise: float) -> str:
    """Median and worst tenth of the revisions from the first low one until the fall is flagged, 0 is at once; and the
    boots bought for it.
    """
    values, variance = _series(noise, fall, count=DELAYED)
    places = _places(DELAYED)
    waits, boots = zip(
        *(tool.until(values[i], float(variance[i]), p, noise) for i, p in enumerate(places)), strict=True
    )
    bought = f", {np.mean(boots):.1f} boots" if any(boots) else ""
    return f"{median(waits):g} ({np.quantile(waits, 0.9):.0f}){bought}"


def _time(tool: Tool) -> str:
    """Of the processor, since the clock on the wall also counts what else the machine does."""
    values, variance = _series(NOISES[1], 0.05, count=tool.timed)
    start = time.process_time()
    tool.find(values, variance)
    spent = (time.process_time() - start) * ALL / tool.timed
    return f"{spent:.1f} s" + (f" (from {tool.timed:,})" if tool.timed < ALL else "")


def _places(count: int) -> list[int]:
    """Where the fall begins in each series: anywhere but in the first and the last tenth."""
    rng = np.random.default_rng([SEED, count])
    return [int(place) for place in rng.integers(POINTS // 10, POINTS - POINTS // 10, count)]


def _series(noise: float, fall: float = 0.0, spike: float = 0.0, *, count: int) -> tuple[Floats, Floats]:
    """Values, and the variance that boots of sibling series showed. Seeded."""
    rng = np.random.default_rng([SEED, count, round(noise * 1e4), round(fall * 1e3), round(spike * 1e3)])
    at, places = np.arange(POINTS), np.array(_places(count))[:, None]
    low = np.where(at >= places, 1 - fall, 1.0) * np.where(at == places, 1 - spike, 1.0)
    values = LEVEL * low * np.exp(noise * rng.standard_normal((count, POINTS)))
    return values, noise**2 * rng.chisquare(SIBLINGS, count) / SIBLINGS


def main() -> None:
    """Print the comparison with the peers that are installed."""
    tools = list(OURS)
    for module, tool in PEERS.items():
        if importlib.util.find_spec(module):
            tools.append(tool)
        else:
            print(f"{tool.name} is not installed: `make bench` installs it")
    print(f"Series of {POINTS} revisions; {DELAYED} of each kind replayed revision by revision\n")
    print(table(tools))


if __name__ == "__main__":
    main()
