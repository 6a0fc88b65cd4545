"""The reference of a series: the last healthy revisions, as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.core.state import State, Verdict
from matrix.stats.boots import Revision, merge
from matrix.stats.point import RunPoint
from matrix.stats.settings import JudgeSettings


@dataclass(frozen=True, slots=True)
class Reference:
    """What a revision is compared with: the last healthy `revisions`, pooled in `point` over `boots` boots.

    `fell` is the fall, a share, by which the series was last called degraded since; 0 where it was not. Such a series
    is healthy again only where half of that fall is excluded.
    """

    point: RunPoint
    boots: int = 1
    revisions: tuple[Revision, ...] = ()
    fell: float = 0.0

    def repaired(self, low: float, caught: float) -> bool:
        """Whether a change of at least `low` is no longer the fall that was flagged."""
        return self.fell == 0 or low > -max(self.fell / 2, caught)

    def name(self) -> str:
        """The newest of its revisions, and how many stand behind it."""
        behind = len(self.revisions) - 1
        return self.point.revision + (f" and {behind} before it" if behind > 0 else "")


def following(
    old: Reference | None, revision: Revision, verdict: Verdict, relevant: float, settings: JudgeSettings
) -> Reference | None:
    """The reference after `revision` got this verdict.

    A healthy revision joins it, unless it lies relevantly below: then a real fall too small to be significant would
    become part of the measure of what follows, and be hidden. After a significant rise, or where it cannot be compared
    (another k, other prompts), a healthy revision starts anew.
    """
    told = dict(verdict.numbers)
    change, p_rise = told.get("change"), told.get("p_rise")
    if verdict.state is State.DEGRADED and old and isinstance(change, float):
        return replace(old, fell=-change)
    if verdict.state is not State.HEALTHY:
        return old
    if not isinstance(change, float) or old is None or not _alike(old, revision):
        return reference_of([revision])
    if change <= -relevant:
        return old
    if change >= relevant and isinstance(p_rise, float) and p_rise < settings.alpha:
        return reference_of([revision])
    return reference_of([*old.revisions, revision][-settings.look_back :])


def reference_of(revisions: Sequence[Revision], fell: float = 0.0) -> Reference:
    """These revisions as one, oldest first."""
    boots = [boot for revision in revisions for boot in revision.boots]
    return Reference(merge(boots), len(boots), tuple(revisions), fell)


def _alike(old: Reference, revision: Revision) -> bool:
    last = old.revisions[-1].point
    return last.k == revision.point.k and last.prompts.keys() == revision.point.prompts.keys()
