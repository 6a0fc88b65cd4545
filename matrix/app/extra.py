"""Boots beyond the plan's cells: which series asks for them, of which revisions, and how that is told."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from matrix.app.planned import Planned, at_boot
from matrix.app.planning import Plan
from matrix.app.thresholds import settings_of
from matrix.core.cell import Cell
from matrix.core.state import Metric, State
from matrix.plan.select import cell_name
from matrix.stats.answer import BOOT, PROMPTS, boots_wanted
from matrix.stats.judge import SeriesJudgement
from matrix.stats.words import percent, span
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class ExtraBoots:
    """How a sweep tells of boots beyond its plan: `say` a line, `grow` by how many boots the sweep has grown."""

    say: Callable[[str], None] = lambda text: None
    grow: Callable[[int], None] = lambda boots: None


Standing = tuple[str, int, int]
"""A series and the boots that its newest comparison has before and after."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A series whose newest comparison is ambiguous: `cell` is that of its newest revision at its first boot.

    `numbers` and `reason` are the verdict's; `unknown` says that a relevant fall is likely.
    """

    cell: Cell
    numbers: Mapping[str, float | int | str | None]
    unknown: bool
    reason: str = ""

    @property
    def tied(self) -> bool:
        """As many of its boots served as failed; nothing was compared."""
        return "change" not in self.numbers

    @property
    def standing(self) -> Standing:
        before, after = (int(self.numbers.get(name) or 1) for name in ("boots_before", "boots_after"))
        return self.cell.series_key, before, after

    @property
    def urgency(self) -> tuple[bool, float]:
        """Sort key: where a fall is likely first."""
        return not self.unknown, float(self.numbers.get("p_fall") or 0.0)

    @property
    def told(self) -> str:
        """The change with its interval, for a line."""
        if self.tied:
            return f"ambiguous: {cell_name(self.cell)}: {self.reason}"
        change, low, high = (float(self.numbers.get(name) or 0.0) for name in ("change", "low", "high"))
        return f"ambiguous: {cell_name(self.cell)}: {percent(change)} ({span(low, high)})"


@dataclass(frozen=True, slots=True)
class Found:
    """The next round of boots, for one series of all that are `asking`, and how it is told."""

    standing: Standing
    asking: tuple[str, ...]
    boots: tuple[Planned, ...]
    told: str


def first_asking(
    judged: Mapping[str, SeriesJudgement], plan: Plan, store: Store, done: Container[Standing]
) -> Found | None:
    """The round of boots for the series that needs it most, leaving out those whose standing is `done`; None for none.

    Only comparisons of accept length are settled so: the noise of speed on a busy machine would never let go.
    """
    found = [a for a in asking(judged, plan, BOOT) if a.standing not in done]
    for one in sorted(found, key=lambda a: a.urgency):
        boots = _round(one, plan, store)
        if boots:
            return Found(one.standing, tuple(a.cell.series_key for a in found), boots, _told(one, boots))
    return None


def asking(judged: Mapping[str, SeriesJudgement], plan: Plan, ask: str) -> list[Asking]:
    """Series of the plan whose newest revision is one of its cells and asks for `ask`."""
    cells = {(p.cell.series_key, p.cell.revision.version): p.cell for p in plan.cells}
    found = []
    for key, judgement in judged.items():
        newest = judgement.revisions[-1]
        verdict = newest.verdict(Metric.ACCEPT_LENGTH)
        cell = cells.get((key, newest.revision))
        if cell is not None and dict(verdict.numbers).get("ask") == ask:
            found.append(Asking(cell, dict(verdict.numbers), verdict.state is State.UNKNOWN, verdict.reason))
    return found


def short_of_prompts(judged: Mapping[str, SeriesJudgement], plan: Plan) -> list[str]:
    """A line for each likely fall that more prompts would settle, where the workload leaves some of its prompts out.

    A sweep does not ask them by itself: other prompts are another workload, and so another series.
    """
    cut = tuple(name for name, table in plan.source.config.workloads.items() if table.limit is not None)
    found = [a for a in asking(judged, plan, PROMPTS) if a.unknown and a.cell.workload.name.startswith(cut)]
    return [
        f"{a.told}; more prompts would tell: a higher `limit` of its workload, as a series of its own" for a in found
    ]


def _told(one: Asking, boots: Sequence[Planned]) -> str:
    versions = " and ".join(dict.fromkeys(p.cell.revision.version for p in boots))
    return f"{one.told}; " + ("another boot" if len(boots) == 1 else f"{len(boots)} more boots") + f" of {versions}"


def _round(one: Asking, plan: Plan, store: Store) -> tuple[Planned, ...]:
    """Boots of the reference that has too few, then of the newest revision; one of it where its boots are tied."""
    if one.tied:
        return tuple(_boots(one.cell, 1, store))
    settings = settings_of(plan.source.config.judge.of(one.cell))
    _, before, after = one.standing
    wanted = boots_wanted(before, after, settings)
    older = _reference(one, plan, store) if wanted[0] > before else None
    return (*_boots(older, wanted[0] - before, store), *_boots(one.cell, wanted[1] - after, store))


def _boots(cell: Cell | None, number: int, store: Store) -> list[Planned]:
    if cell is None:
        return []
    first = store.runs.next_boot(cell)
    return [at_boot(cell, first + i) for i in range(number)]


def _reference(one: Asking, plan: Plan, store: Store) -> Cell | None:
    """The cell of the newest revision of the reference; None where it cannot be made again from this plan."""
    version = one.numbers.get("reference")
    for planned in plan.cells:
        cell = planned.cell
        if (cell.series_key, cell.revision.version) == (one.cell.series_key, version):
            return cell
    if one.cell.install == "site":  # the folder holds one release
        return None
    revision = store.runs.revision(str(one.numbers.get("reference_run") or ""))
    return replace(one.cell, revision=revision) if revision is not None else None
