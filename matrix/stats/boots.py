"""Several boots of one revision, made one point."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from matrix.core.counters import Counters, combine
from matrix.core.outcome import Tier
from matrix.stats.point import RunPoint
from matrix.stats.words import count, sentence

T = TypeVar("T")
_EVIDENCE = (Tier.OK, Tier.ENGINE)


@dataclass(frozen=True, slots=True)
class Revision:
    """Pooled evidence of one revision, and the `boots` that were pooled. `split` says how its boots disagree, `note`
    how a minority ended; boots that disagree are pooled into nothing, and `boots` holds all of them.
    """

    point: RunPoint
    run_ids: tuple[str, ...]
    boots: tuple[RunPoint, ...]
    split: str = ""
    note: str = ""


def revisions(points: Sequence[RunPoint]) -> list[Revision]:
    """One entry a revision, in order of first appearance."""
    groups: dict[str, list[RunPoint]] = {}
    for point in points:
        groups.setdefault(point.revision, []).append(point)
    return [_pool(group) for group in groups.values()]


def _pool(runs: list[RunPoint]) -> Revision:
    """Boots that say nothing about the engine are passed over when another does; the majority of the rest decides."""
    ids = tuple(run.run_id for run in runs)
    told = [run for run in _one_per_boot(runs) if run.outcome.tier in _EVIDENCE]
    if not told:
        return Revision(runs[-1], ids, (runs[-1],))
    fine = [run for run in told if run.outcome.tier is Tier.OK]
    failed = [run for run in told if run.outcome.tier is Tier.ENGINE]
    odd = min((fine, failed), key=len)
    note = f"{len(odd)} of {count(len(told), 'boot')} ended in {_end(odd[-1])}" if odd else ""
    if len(fine) == len(failed):
        worst = f"{len(failed)} of {count(len(told), 'boot')} ended in {_end(failed[-1])}"
        return Revision(failed[-1], ids, tuple(told), split=f"its boots disagree: {worst}")
    if len(failed) > len(fine):
        return Revision(failed[-1], ids, tuple(failed), note=note)
    return Revision(merge(fine), ids, tuple(fine), note=note)


def _one_per_boot(runs: list[RunPoint]) -> list[RunPoint]:
    """A boot that was run again counts once: its last attempt that is evidence."""
    last: dict[int, RunPoint] = {}
    for run in runs:
        if run.boot not in last or run.outcome.tier in _EVIDENCE:
            last[run.boot] = run
    return list(last.values())


def _end(run: RunPoint) -> str:
    return f"{run.outcome}" + (f" ({sentence(run.reason)})" if run.reason else "")


def merge(runs: Sequence[RunPoint]) -> RunPoint:
    """Runs as one, under the name of the last: counters summed prompt by prompt, rates by time."""
    if len(runs) == 1:
        return runs[0]
    return replace(
        runs[-1],
        prompts=_join([run.prompts for run in runs], _sum),
        flags=_join([run.flags for run in runs], _all_flags),
        tok_s=_join([run.tok_s for run in runs], _mean_rate),
        baseline_tok_s=_join([run.baseline_tok_s for run in runs], _mean_rate),
        compared=sum(run.compared for run in runs),
        diverged=sum(run.diverged for run in runs),
        wrong=sum(run.wrong for run in runs),
    )


def _join(parts: Sequence[Mapping[str, T]], merge: Callable[[list[T]], T]) -> dict[str, T]:
    first = parts[0].keys()
    if all(part.keys() == first for part in parts):  # much the quickest, and the usual case
        return {prompt: merge([part[prompt] for part in parts]) for prompt in parts[0]}
    rows: dict[str, list[T]] = {}
    for part in parts:
        for prompt, value in part.items():
            rows.setdefault(prompt, []).append(value)
    return {prompt: merge(values) for prompt, values in rows.items()}


def _all_flags(rows: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({flag for row in rows for flag in row})) if any(rows) else ()


def _sum(rows: list[Counters]) -> Counters:
    return combine(rows)


def _mean_rate(rates: list[float]) -> float:
    """Tokens per second over boots that each gave the same number of tokens: total tokens over total time."""
    usable = [rate for rate in rates if rate > 0]
    return len(usable) / sum([1 / rate for rate in usable]) if usable else 0.0
