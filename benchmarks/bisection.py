"""How often a bisection is right, and its costs: `python -m benchmarks bisection`; `bisection=10000` sets the trials.

Each trial hides a culprit among 256 commits in a row. Judgements err at two rates that the search is not told: it sees
ten repeated runs of each end (A/A runs, counted apart). Beside it, on the same trials: git's own halving (checked once
against the real `git bisect`), the best of three runs at each of its points, and the real `git_bayesect` where it is
installed (they have no skips that keep a skip's neighbours in the range, so none of these where points cannot be
built). Runs that verify the culprit are shown apart from those of the search; the ends' two runs are in neither.

Below each of our lines stands whether what it states is true: the trials by the confidence that they ended with, in
bands, and how many of each were right. A trial goes on from one level to the next, as the same command with another
`--confidence` would: decisions depend on answers alone, so each level is what it would be on its own.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from matrix.bisect.answers import Answer, Rates, Said
from matrix.bisect.history import GOOD_END, History, linear
from matrix.bisect.search import Phase, Settings, begin, decide

COMMITS, AA_RUNS, SEED = 256, 10, 20261201
LEVELS = (0.80, 0.90, 0.95, 0.99)
Judge = Callable[[int], Said]


@dataclass(frozen=True, slots=True)
class World:
    """Error rates (a good commit judged bad, a bad one judged good), the share that cannot be built, runs at a time."""

    wrong_bad: float = 0.0
    wrong_good: float = 0.0
    unbuildable: float = 0.0
    parallel: int = 1

    @property
    def name(self) -> str:
        errors = f"{100 * self.wrong_bad:g} % / {100 * self.wrong_good:g} % error"
        skips = f", {100 * self.unbuildable:g} % unbuildable" if self.unbuildable else ""
        return errors + skips + (f", {self.parallel} at a time" if self.parallel > 1 else "")


@dataclass(frozen=True, slots=True)
class Trial:
    """What one search came to: `right` when its range holds the culprit, `size` of that range, and its costs."""

    right: bool
    search: int
    verify: int = 0
    rounds: int = 0
    stated: float = 0.0
    size: int = 1


@cache
def history() -> History:
    return linear([f"c{i:03d}" for i in range(COMMITS)], "old")


def ours(world: World, levels: Sequence[float], seed: int) -> list[Trial]:
    """One trial of `matrix.bisect`, as it stands when each of the rising levels of confidence is reached."""
    rng = np.random.default_rng((SEED, seed))
    culprit, judge = _hide(world, rng)
    aa = Rates(*_aa(rng, world.wrong_bad), *_aa(rng, world.wrong_good))
    state = begin(history(), Settings(parallel=world.parallel, tolerate=True), aa)
    state = state.told([Answer(GOOD_END, Said.GOOD), Answer(COMMITS - 1, Said.BAD)])
    runs, rounds, found = {Phase.SEARCH: 0, Phase.VERIFY: 0}, 0, []
    for level in levels:
        state = replace(state, settings=replace(state.settings, confidence=level))
        while (decision := decide(state)).points:
            runs[decision.phase] += len(decision.points)
            rounds += decision.phase is Phase.SEARCH
            state = state.told([Answer(point, judge(point)) for point in decision.points])
        if (named := decision.suspects) is None:
            raise RuntimeError(decision.reason)
        right = culprit in named.changes
        size = len(named.changes)
        found.append(Trial(right, runs[Phase.SEARCH], runs[Phase.VERIFY], rounds, named.mass, size))
    return found


def halving(repeats: int, world: World, seed: int) -> list[Trial]:
    """One trial of git's bisect on commits in a row, each judged by the majority of `repeats` runs."""
    rng = np.random.default_rng((SEED, seed))
    culprit, judge = _hide(world, rng)
    good, bad, runs = -1, COMMITS - 1, 0
    while bad - good > 1:
        middle = _middle(good, bad)
        said = [judge(middle) for _ in range(repeats)]
        runs += repeats
        good, bad = (good, middle) if said.count(Said.BAD) * 2 > repeats else (middle, bad)
    return [Trial(bad == culprit, runs)]


def bayesect(world: World, confidence: float, seed: int) -> list[Trial]:
    """One trial of `git_bayesect`, stopped where its own `run` stops: one commit reaches `confidence`."""
    from git_bayesect import Bisector

    rng = np.random.default_rng((SEED, seed))
    culprit, judge = _hide(world, rng)
    bisector, runs = Bisector([1.0] * COMMITS), 0
    while bisector.distribution.max() < confidence and runs < _MOST:
        index = bisector.select()
        bisector.record(index, judge(COMMITS - 1 - index) is Said.BAD)
        runs += 1
    return [Trial(COMMITS - 1 - int(np.argmax(bisector.distribution)) == culprit, runs)]


_MOST = 300


def _middle(good: int, bad: int) -> int:
    """The commit that git asks for between two in a row: `python -m benchmarks bisection` compares it with git."""
    return good + (bad - good) // 2


def _hide(world: World, rng: np.random.Generator) -> tuple[int, Judge]:
    culprit = int(rng.integers(COMMITS))
    unbuildable = rng.random(COMMITS) < world.unbuildable
    unbuildable[-1] = False

    def judge(point: int) -> Said:
        if point != GOOD_END and unbuildable[point]:
            return Said.SKIP
        bad = point >= culprit
        wrong = rng.random() < (world.wrong_good if bad else world.wrong_bad)
        return Said.BAD if bad != wrong else Said.GOOD

    return culprit, judge


def _aa(rng: np.random.Generator, rate: float) -> tuple[int, int]:
    return int(rng.binomial(AA_RUNS, rate)), AA_RUNS


def as_git_asks() -> bool:
    """True when the real `git bisect` asks for the same commits as `_middle` does, for ten culprits."""
    with tempfile.TemporaryDirectory() as folder:
        commits = _repository(Path(folder))
        return all(_git_path(Path(folder), commits, c) == _our_path(c) for c in range(5, COMMITS, 25))


def _repository(folder: Path) -> list[str]:
    _git(folder, "init", "-q", ".")
    for i in range(COMMITS + 1):
        _git(folder, "commit", "-q", "--allow-empty", "-m", str(i))
    return _git(folder, "rev-list", "--reverse", "HEAD").split()[1:]


def _git_path(folder: Path, commits: list[str], culprit: int) -> list[int]:
    _git(folder, "bisect", "start", commits[-1], f"{commits[0]}^")
    asked: list[int] = []
    while not (folder / ".git" / "BISECT_LOG").read_text().count("first bad commit"):
        asked.append(commits.index(_git(folder, "rev-parse", "HEAD")))
        _git(folder, "bisect", "bad" if asked[-1] >= culprit else "good")
    _git(folder, "bisect", "reset")
    return asked


def _our_path(culprit: int) -> list[int]:
    good, bad, asked = -1, COMMITS - 1, []
    while bad - good > 1:
        asked.append(_middle(good, bad))
        good, bad = (good, asked[-1]) if asked[-1] >= culprit else (asked[-1], bad)
    return asked


def _git(folder: Path, *args: str) -> str:
    identity = ["-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *args], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def trials_of(pool: ProcessPoolExecutor, trial: Callable[[int], list[Trial]], trials: int) -> list[tuple[Trial, ...]]:
    """The trials of each level, one tuple a level."""
    return list(zip(*pool.map(trial, range(trials), chunksize=max(1, trials // 200)), strict=True))


def line(name: str, done: Sequence[Trial]) -> None:
    """Print how often the trials were right, and their mean costs."""
    right = 100 * float(np.mean([t.right for t in done]))
    means = [np.mean([getattr(t, key) for t in done]) for key in ("search", "verify", "rounds", "size")]
    print(f"{name:58s}{right:8.2f}{''.join(f'{mean:8.2f}' for mean in means)}{len(done):8d}", flush=True)


def calibration(done: Sequence[Trial]) -> str:
    """Observed accuracy of the trials whose stated confidence lies in each band, beside the band's mean statement."""
    parts = []
    for low, high in zip(LEVELS, (*LEVELS[1:], 1.01), strict=True):
        inside = [t for t in done if low <= t.stated < high]
        if len(inside) >= _ENOUGH:
            stated, right = np.mean([t.stated for t in inside]), np.mean([t.right for t in inside])
            parts.append(f"{100 * stated:.1f} stated, {100 * right:.1f} right ({len(inside)})")
    return "; ".join(parts)


_ENOUGH = 100
BESIDE = (World(), World(0.02, 0.02), World(0.02, 0.20))
ALONE = (World(0.05, 0.05), World(0.20, 0.02), World(unbuildable=0.25))
PARALLEL = (World(parallel=3), World(0.02, 0.02, parallel=3))


def main(trials: int = 1000) -> None:
    """Print every figure; `trials` for each line."""
    print(f"git asks for the same commits as the halving here: {as_git_asks()}")
    print(f"{'':58s}{'right %':>8s}{'search':>8s}{'verify':>8s}{'rounds':>8s}{'range':>8s}{'trials':>8s}")
    with ProcessPoolExecutor() as pool:
        for world in (*BESIDE, *ALONE):
            if world in BESIDE:
                _peers(pool, world, trials)
            for level, done in zip(LEVELS, trials_of(pool, partial(ours, world, LEVELS), trials), strict=True):
                line(f"ours {100 * level:g} %, {world.name}", done)
                print(f"    {calibration(done)}", flush=True)
        for world in PARALLEL:
            line(f"ours 95 %, {world.name}", trials_of(pool, partial(ours, world, (0.95,)), trials)[0])


def _peers(pool: ProcessPoolExecutor, world: World, trials: int) -> None:
    """Lines of the others."""
    line(f"git bisect, {world.name}", trials_of(pool, partial(halving, 1, world), trials)[0])
    line(f"majority of 3, {world.name}", trials_of(pool, partial(halving, 3, world), trials)[0])
    if _has_bayesect():
        line(f"git_bayesect 95 %, {world.name}", trials_of(pool, partial(bayesect, world, 0.95), trials)[0])


def _has_bayesect() -> bool:
    try:
        import git_bayesect  # noqa: F401
    except ImportError:
        print("git_bayesect is not installed (pip install git_bayesect): its lines are left out")
        return False
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
