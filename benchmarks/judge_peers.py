"""Change points beside Apache Otava and asv's step detection, on the same series of pooled accept lengths.

All three are asked for falls of at least the relevant 3 %; ours is told what the boots of sibling series showed of the
noise, as it is in a sweep, and takes the series' own where that is more.
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
from matrix.stats.settings import DEFAULTS
from matrix.stats.steps import find_steps, series_noise

SERIES, POINTS, NEAR, SEED, LEVEL = 1000, 100, 5, 20260102, 2.55
NOISES, FALLS = (0.01, 0.02), (0.05, 0.10)
DELAYED, LATEST, ALL = 100, 20, 10_000
SIBLINGS = 12
Found = list[list[int]]
"""For each series where a relevant fall begins."""
Finder = Callable[[Floats, Floats], Found]
"""From values (series, points) and the noise variance that boots showed, one a series."""


@dataclass(frozen=True, slots=True)
class Tool:
    """`share`: of the 10,000 timed series it is given, the rest of its time is extrapolated."""

    name: str
    find: Finder
    share: float


def ours(values: Floats, noise: Floats) -> Found:
    logs = np.log(values)
    variance = np.maximum(series_noise(logs), noise)
    steps = find_steps(logs, np.broadcast_to(variance[:, None], logs.shape))
    falls = np.diff(steps.levels, axis=1) <= np.log1p(-DEFAULTS.relevant)
    return [(np.flatnonzero(row) + 1).tolist() for row in falls & steps.starts[:, 1:]]


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


TOOLS = (Tool("specmatrix", ours, 1.0), Tool("Apache Otava", otava, 0.1), Tool("asv", asv, 0.1))


def table(tools: Sequence[Tool]) -> str:
    """Markdown: a row for each tool."""
    heads = ["tool", *(f"quiet, noise {_p(n)}: false" for n in NOISES), "one spike of 15 %: false"]
    heads += [f"fall of {_p(f)}, noise {_p(n)}: missed" for f in FALLS for n in NOISES]
    heads += [f"revisions until a fall of {_p(f)} is flagged, noise {_p(n)}" for f in FALLS for n in NOISES]
    heads.append(f"{ALL:,} series of {POINTS}")
    rows = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    return "\n".join([*rows, *(f"| {' | '.join(_cells(tool))} |" for tool in tools)])


def _p(share: float) -> str:
    return f"{100 * share:g} %"


def _cells(tool: Tool) -> list[str]:
    false = [sum(bool(row) for row in tool.find(*_series(noise))) for noise in NOISES]
    spikes = sum(bool(row) for row in tool.find(*_series(NOISES[0], spike=0.15)))
    made = [(fall, noise) for fall in FALLS for noise in NOISES]
    missed = [_missed(tool, fall, noise) for fall, noise in made]
    delays = [_delay(tool, fall, noise) for fall, noise in made]
    return [tool.name, *(f"{n} of {SERIES:,}" for n in (*false, spikes, *missed)), *delays, _time(tool)]


def _missed(tool: Tool, fall: float, noise: float) -> int:
    found = tool.find(*_series(noise, fall))
    return sum(
        not any(abs(at - place) <= NEAR for at in row) for row, place in zip(found, _places(SERIES), strict=True)
    )


def _delay(tool: Tool, fall: float, noise: float) -> str:
    """Median and worst tenth of the revisions from the first low one until the fall is flagged; 0 is at once."""
    values, variance = _series(noise, fall)
    delays = [_until(tool, values[i], variance[i], place) for i, place in enumerate(_places(SERIES)[:DELAYED])]
    return f"{median(delays):g} ({np.quantile(delays, 0.9):.0f})"


def _until(tool: Tool, values: Floats, variance: float, place: int) -> int:
    for seen in range(LATEST):
        (found,) = tool.find(values[None, : place + seen + 1], np.array([variance]))
        if any(abs(at - place) <= NEAR for at in found):
            return seen
    return LATEST


def _time(tool: Tool) -> str:
    values, variance = _series(NOISES[1], 0.05, count=round(ALL * tool.share))
    start = time.perf_counter()
    tool.find(values, variance)
    spent = (time.perf_counter() - start) / tool.share
    return f"{spent:.1f} s" + (f" (from {len(values):,})" if tool.share < 1 else "")


def _places(count: int) -> list[int]:
    """Where the fall begins in each series: anywhere but in the first and the last tenth."""
    rng = np.random.default_rng([SEED, count])
    return [int(place) for place in rng.integers(POINTS // 10, POINTS - POINTS // 10, count)]


def _series(noise: float, fall: float = 0.0, spike: float = 0.0, count: int = SERIES) -> tuple[Floats, Floats]:
    """Values, and the variance that boots of sibling series showed. Seeded."""
    rng = np.random.default_rng([SEED, count, round(noise * 1e4), round(fall * 1e3), round(spike * 1e3)])
    at, places = np.arange(POINTS), np.array(_places(count))[:, None]
    low = np.where(at >= places, 1 - fall, 1.0) * np.where(at == places, 1 - spike, 1.0)
    values = LEVEL * low * np.exp(noise * rng.standard_normal((count, POINTS)))
    return values, noise**2 * rng.chisquare(SIBLINGS, count) / SIBLINGS


def main() -> None:
    """Print the comparison with the peers that are installed."""
    tools = [TOOLS[0]]
    for tool, module in zip(TOOLS[1:], ("otava.analysis", "asv.step_detect"), strict=True):
        if importlib.util.find_spec(module.split(".")[0]):
            tools.append(tool)
        else:
            print(f"{tool.name} is not installed: `make bench` installs it")
    print(f"{SERIES:,} series of {POINTS} revisions each, {DELAYED} of them replayed revision by revision\n")
    print(table(tools))


if __name__ == "__main__":
    main()
