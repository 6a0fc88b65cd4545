"""What one revision shows by itself, whatever lies before it: its noise between boots, and its row of a long series."""

from collections.abc import Collection
from dataclasses import dataclass
from math import log

from matrix.core.outcome import Tier
from matrix.stats.boots import Revision
from matrix.stats.floors import Floors, noise_within
from matrix.stats.lengths import lengths
from matrix.stats.settings import JudgeSettings


@dataclass(frozen=True, slots=True)
class Row:
    """Tokens beyond one a step (`extra`) and `steps` of each of `prompts`; `visible` as in `Lengths`."""

    visible: bool
    k: int | None
    prompts: tuple[str, ...]
    extra: tuple[int, ...]
    steps: tuple[int, ...]

    def pooled(self, prompts: Collection[str]) -> float:
        """Accept length of the summed counters of `prompts`, all of which must be here, and at least one."""
        if len(prompts) == len(self.prompts):
            return 1 + sum(self.extra) / sum(self.steps)
        chosen = [i for i, prompt in enumerate(self.prompts) if prompt in prompts]
        return 1 + sum(self.extra[i] for i in chosen) / sum(self.steps[i] for i in chosen)


@dataclass(frozen=True, slots=True)
class Trace:
    """All that judging a series needs of a revision behind its newest ones.

    `noise` is that between its own boots, on no degrees of freedom where it was booted once; `row` is None where it
    did not serve, its boots disagree or too few prompts count. `lift` is how much higher the mean logarithm of its
    boots' accept lengths is without the lowest boot.
    """

    revision: str
    boots: int
    noise: Floors
    row: Row | None
    lift: float = 0.0


def trace(revision: Revision, settings: JudgeSettings) -> Trace:
    """A pure function of the revision's runs and of the settings."""
    row = _row(revision, settings)
    return Trace(
        revision.point.revision,
        len(revision.boots),
        noise_within(revision.boots, settings),
        row,
        _lift(revision, settings) if row and len(revision.boots) > 1 else 0.0,
    )


def _lift(revision: Revision, settings: JudgeSettings) -> float:
    found = [lengths(boot, settings) for boot in revision.boots]
    logs = [log(one.pooled()) for one in found if one.counters]
    return (sum(logs) / len(logs) - min(logs)) / (len(logs) - 1) if len(logs) > 1 else 0.0


def _row(revision: Revision, settings: JudgeSettings) -> Row | None:
    point = revision.point
    if revision.split or point.outcome.tier is not Tier.OK:
        return None
    found = lengths(point, settings)
    if len(found.counters) < settings.min_pairs:
        return None
    return Row(
        found.visible,
        point.k,
        tuple(found.counters),
        tuple(extra for extra, _ in found.rows),
        tuple(steps for _, steps in found.rows),
    )
