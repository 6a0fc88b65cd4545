"""The judge of long series beside Apache Otava and asv's step detection, on the same series of pooled accept lengths.

All are asked for falls of at least the relevant 3 %. Ours is `find_levels`, which decides the states of long series in
`matrix judge`. It also sees the noise that boots of siblings showed, and may ask for boots of the newest revision.
"""

import importlib
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import median

import numpy as np

from benchmarks.judge_data import Floats
from benchmarks.judge_replay import NO_BOOTS, Judge, delays, ever_flagged
from benchmarks.judge_series import FIRST, LAST, POINTS, SIBLINGS, Kind, Series, judged_falls, made, runs_of
from matrix.stats.levels import find_levels
from matrix.stats.settings import DEFAULTS

SERIES, NEAR, REPLAYED, LATEST, ALL, WHOLE = 1000, 5, 50, 20, 10_000, 20
Found = list[list[int]]
"""For each series where a relevant fall begins."""
Finder = Callable[[Floats, Floats], Found]
"""From values (series, points) and the noise variance that boots showed, one a series."""
Delays = Callable[[Series, Kind], tuple[np.ndarray, np.ndarray]]
Ever = Callable[[Series, Kind], tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Tool:
    """`delays` and `ever` replay series (`judge_replay`); `timed`: how many of the 10,000, the rest is extrapolated."""

    name: str
    find: Finder
    delays: Delays
    ever: Ever
    timed: int = ALL


@dataclass(frozen=True, slots=True)
class Generator:
    """Kinds of series for a table."""

    quiet: Sequence[Kind]
    falls: Sequence[Kind]


USUAL = Generator(
    quiet=(Kind(0.01), Kind(0.02), Kind(0.01, spike=0.15)),
    falls=tuple(Kind(noise, fall) for fall in (0.05, 0.10) for noise in (0.01, 0.02)),
)
OTHER = Generator(
    quiet=(Kind(0.01, tails=4), Kind(0.015, tails=4), Kind(0.005, drift=0.001), Kind(0.015, spike=0.3)),
    falls=(
        Kind(0.005, 0.04),
        Kind(0.015, 0.07),
        Kind(0.03, 0.2),
        Kind(0.01, 0.06, tails=4),
        Kind(0.005, 0.06, drift=0.001),
    ),
)
"""What no threshold was chosen on: other falls, heavy tails, levels that drift."""


def ours(values: Floats, noise: Floats) -> Found:
    """By the rule that `matrix judge` applies to long series, one boot a revision."""
    df = np.full(len(values), float(SIBLINGS))
    fallen = find_levels(np.log(values), np.ones(values.shape), np.zeros(values.shape), noise, df, DEFAULTS).fallen
    fallen[:, 1:] &= ~fallen[:, :-1].copy()
    return [np.flatnonzero(row).tolist() for row in fallen]


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


def _asked(series: Series, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    return delays(Judge(series, kind), series.places, LATEST, POINTS)


def _ever_asked(series: Series, kind: Kind) -> tuple[int, float]:
    return ever_flagged(Judge(series, kind), len(series.values), FIRST, POINTS)


def _replayed(find: Finder, series: Series, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Of a finder that only sees the values, one more revision at a time."""
    rows = enumerate(series.places)
    return np.array([_wait(find, series.values[i], place) for i, place in rows]), np.zeros(len(series.places))


def _wait(find: Finder, values: Floats, place: int) -> int:
    for seen in range(min(LATEST, POINTS - place)):
        (found,) = find(values[None, : place + seen + 1], np.zeros(1))
        if any(abs(at - place) <= NEAR for at in found):
            return seen
    return LATEST


def _ever(find: Finder, series: Series, kind: Kind) -> tuple[int, float]:
    ends = range(FIRST + 1, POINTS + 1)
    return sum(any(find(row[None, :end], np.zeros(1))[0] for end in ends) for row in series.values), 0.0


def _peer(name: str, find: Finder) -> Tool:
    return Tool(name, find, partial(_replayed, find), partial(_ever, find), timed=SERIES)


OURS = Tool("specmatrix", ours, _asked, _ever_asked)
PEERS = {"otava": _peer("Apache Otava", otava), "asv": _peer("asv", asv)}


def table(tools: Sequence[Tool], kinds: Generator) -> str:
    """Markdown: a column for each tool."""
    heads = ["", *(f"{kind.name()}: false flags" for kind in kinds.quiet)]
    heads += [f"{kind.name()}, as revisions arrive: ever flagged" for kind in kinds.quiet]
    heads += [f"{kind.name()}: missed" for kind in kinds.falls]
    heads += [f"{kind.name()}: revisions until flagged" for kind in kinds.falls]
    heads.append(f"processor time of {ALL:,} series")
    lines = [f"| {' | '.join(row)} |" for row in zip(heads, *(_cells(tool, kinds) for tool in tools), strict=True)]
    lines.insert(1, "|" + " --- |" * (1 + len(tools)))
    return "\n".join(lines)


def _cells(tool: Tool, kinds: Generator) -> list[str]:
    false = [f"{_flagged(tool, kind)} of {SERIES:,}" for kind in kinds.quiet]
    ever = [_share(*tool.ever(made(kind, REPLAYED), kind)) for kind in kinds.quiet]
    missed = [f"{_missed(tool, kind)} of {SERIES:,}" for kind in kinds.falls]
    return [tool.name, *false, *ever, *missed, *(_delay(tool.delays, kind) for kind in kinds.falls), _time(tool)]


def _flagged(tool: Tool, kind: Kind) -> int:
    series = made(kind, SERIES)
    return sum(bool(row) for row in tool.find(series.values, series.noise))


def _share(ever: int, boots: float) -> str:
    return f"{ever} of {REPLAYED}" + (f", {boots:.1f} boots a revision" if boots else "")


def _missed(tool: Tool, kind: Kind) -> int:
    series = made(kind, SERIES)
    found = zip(tool.find(series.values, series.noise), series.places, strict=True)
    return SERIES - sum(any(abs(at - place) <= NEAR for at in row) for row, place in found)


def _delay(replay: Delays, kind: Kind) -> str:
    """Median and worst tenth of the revisions from the first low one until the fall is flagged, 0 is at once; and the
    boots bought for it.
    """
    waits, boots = replay(made(kind, REPLAYED), kind)
    bought = f", {boots.mean():.1f} boots" if boots.any() else ""
    return f"{median(waits.tolist()):g} ({np.quantile(waits, 0.9):.0f}){bought}"


def _time(tool: Tool) -> str:
    """Of the processor, since the clock on the wall also counts what else the machine does."""
    series = made(Kind(0.02, 0.05), tool.timed)
    start = time.process_time()
    tool.find(series.values, series.noise)
    spent = (time.process_time() - start) * ALL / tool.timed
    return f"{spent:.1f} s" + (f" (from {tool.timed:,})" if tool.timed < ALL else "")


def _alone(kinds: Sequence[Kind]) -> str:
    """What becomes of the delays where no boot may be asked for."""
    told = []
    for kind in kinds:
        series = made(kind, REPLAYED)
        waits, _ = delays(Judge(series, kind, NO_BOOTS), series.places, LATEST, POINTS)
        told.append(f"{kind.name()}: {median(waits.tolist()):g} ({np.quantile(waits, 0.9):.0f})")
    return "; ".join(told)


def _whole() -> str:
    """The time of everything that the judge says of every revision, from the counters of sixteen prompts."""
    series = made(Kind(0.02, 0.05), WHOLE)
    runs = [runs_of(row) for row in series.values]
    start = time.process_time()
    judged_falls(runs, series.noise)
    spent = time.process_time() - start
    return f"{1e3 * spent / (WHOLE * POINTS):.2f} ms a revision, {spent * ALL / WHOLE:.0f} s for {ALL:,} series"


def main() -> None:
    """Print the comparison with the peers that are installed."""
    tools = [OURS]
    for module, tool in PEERS.items():
        if importlib.util.find_spec(module):
            tools.append(tool)
        else:
            print(f"{tool.name} is not installed: `make bench` installs it")
    print(f"Series of {POINTS} revisions, falls from revision {FIRST} to {LAST}; {REPLAYED} of each kind replayed\n")
    for title, kinds in (("", USUAL), ("other falls and kinds of noise\n", OTHER)):
        print(f"{title}\n{table(tools, kinds)}\n", flush=True)
        print(f"where no boot may be asked for: {_alone(kinds.falls)}\n", flush=True)
    print(f"with every verdict's figures and sentence, sixteen prompts a revision: {_whole()}")


if __name__ == "__main__":
    main()
