"""How often the judge flags a fall that is there, and one that is not: `python benchmarks/judge_power.py [TRIALS]`.

Each trial makes two revisions and asks the whole judge. Prompts take their accept length from the sixteen that a tiny
EAGLE-3 head gave on two real engines (k = 3). The new revision's lengths fall by a chosen share; then each of a chosen
part of its prompts, whose text went another way at a near-tie, moves by a random factor of mean one. Counters are those
of 128 tokens a prompt, so whole steps are counted, as an engine does.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.core.state import Metric, State
from matrix.stats.judge import JudgeSettings, RunPoint, judge_series

RECORDED = (1.81, 2.43, 2.27, 2.37, 1.90, 1.84, 1.87, 2.74, 1.98, 2.49, 1.95, 2.37, 1.65, 1.90, 2.23, 2.44)
TOKENS, K, SEED = 128, 3, 20260101

Floats = np.ndarray[tuple[int], np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int], Floats]


@dataclass(frozen=True, slots=True)
class Noise:
    """`share` of the prompts move by a factor drawn by `factor`, the others keep their length."""

    name: str
    share: float
    factor: Draw


def uniform(rng: np.random.Generator, size: int) -> Floats:
    return 1 + rng.uniform(-0.2, 0.2, size)


def extremes(rng: np.random.Generator, size: int) -> Floats:
    return 1 + rng.choice((-0.2, 0.2), size)


NOISES = (
    Noise("none", 0.0, uniform),
    Noise("half move, up to 20 %", 0.5, uniform),
    Noise("half move, by 20 %", 0.5, extremes),
    Noise("all move, up to 20 %", 1.0, uniform),
    Noise("all move, by 20 %", 1.0, extremes),
)
DROPS = (0.0, 0.02, 0.05, 0.10, 0.25)


def run(revision: str, values: Floats) -> RunPoint:
    """A run whose prompts have these accept lengths, as near as whole steps allow."""
    after_first = TOKENS - 1
    steps = np.clip(np.rint(after_first / values), np.ceil(after_first / (K + 1)), after_first).astype(int)
    prompts = {
        f"prompt-{i:02}": Counters(steps=int(s), proposed=K * int(s), accepted=after_first - int(s))
        for i, s in enumerate(steps)
    }
    return RunPoint(f"run-{revision}", revision, Outcome.OK, Method.EAGLE3, k=K, prompts=prompts)


def trial(rng: np.random.Generator, pairs: int, drop: float, noise: Noise, *, uneven: bool = False) -> list[RunPoint]:
    """Two runs. An `uneven` fall takes each prompt by between nothing and twice the share, the same on average."""
    before = rng.choice(RECORDED, pairs)
    falls = rng.uniform(0, 2 * drop, pairs) if uneven else np.full(pairs, drop)
    moved = rng.random(pairs) < noise.share
    after = before * (1 - falls) * np.where(moved, noise.factor(rng, pairs), 1.0)
    return [run("1.0", before), run("1.1", np.maximum(after, 1.0))]


def states(
    trials: int, pairs: int, drop: float, noise: Noise, *, uneven: bool = False, settings: JudgeSettings | None = None
) -> Counter[State]:
    """How often the second revision came out in which state; seeded, so the same call gives the same counts."""
    rng = np.random.default_rng([SEED, pairs, round(drop * 1000), NOISES.index(noise), uneven])
    chosen = settings or JudgeSettings()
    found: Counter[State] = Counter()
    for _ in range(trials):
        judgement = judge_series(trial(rng, pairs, drop, noise, uneven=uneven), chosen)
        found[judgement.revisions[-1].state(Metric.ACCEPT_LENGTH)] += 1
    return found


def table(trials: int) -> str:
    """Markdown: share of trials flagged `degraded`, a row for each number of prompts and kind of noise."""
    head = "| prompts | noise | " + " | ".join(f"-{d:.0%}".replace("%", " %") if d else "no fall" for d in DROPS)
    lines = [head + " | -10 % uneven | unknown at no fall |", "|" + " --- |" * (len(DROPS) + 4)]
    for pairs in (16, 64):
        for noise in NOISES:
            found = [states(trials, pairs, d, noise) for d in DROPS]
            row = [f[State.DEGRADED] for f in (*found, states(trials, pairs, 0.10, noise, uneven=True))]
            lines.append(_line(pairs, noise, [n / trials for n in (*row, found[0][State.UNKNOWN])]))
    return "\n".join(lines)


def series(rng: np.random.Generator, pairs: int, noise: Noise, drop: float) -> list[RunPoint]:
    """Sixteen revisions, each with near-ties of its own around the same lengths; the last eight lie lower by `drop`."""
    base = rng.choice(RECORDED, pairs)
    points = []
    for i in range(16):
        moved = np.where(rng.random(pairs) < noise.share, noise.factor(rng, pairs), 1.0)
        points.append(run(str(i), np.maximum(base * moved * (1 - drop * (i >= 8)), 1.0)))
    return points


def series_table(trials: int) -> str:
    """Markdown: false flags per revision without a fall; falls flagged at once, and by the eighth revision after."""
    rows = ["| prompts | noise | false flags | -5 % at once / in 8 | -10 % at once / in 8 |", "|" + " --- |" * 5]
    for pairs in (16, 64):
        for noise in NOISES[1:3]:
            false = sum(sum(s) for s in _flagged(trials, pairs, noise, 0.0)) / (15 * trials)
            small, large = (_caught(_flagged(trials, pairs, noise, drop), trials) for drop in (0.05, 0.10))
            rows.append(f"| {pairs} | {noise.name} | {100 * false:.2f} % | {small} | {large} |")
    return "\n".join(rows)


def _flagged(trials: int, pairs: int, noise: Noise, drop: float) -> list[list[bool]]:
    rng = np.random.default_rng([SEED, pairs, round(drop * 1000)])
    judged = (judge_series(series(rng, pairs, noise, drop)).revisions for _ in range(trials))
    return [[r.state(Metric.ACCEPT_LENGTH) is State.DEGRADED for r in revisions] for revisions in judged]


def _caught(found: list[list[bool]], trials: int) -> str:
    at_once, in_eight = sum(f[8] for f in found), sum(any(f[8:]) for f in found)
    return f"{100 * at_once / trials:.1f} % / {100 * in_eight / trials:.1f} %"


def _line(pairs: int, noise: Noise, shares: list[float]) -> str:
    return f"| {pairs} | {noise.name} | " + " | ".join(f"{100 * share:.2f} %" for share in shares) + " |"


def main(trials: int = 500) -> None:
    """Print both tables."""
    print(table(trials), series_table(max(trials // 10, 1)), sep="\n\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
