"""Judges stored series: reads points, asks the pure judge, controls over each release, stores verdicts and flips."""

from collections import defaultdict
from itertools import accumulate
from statistics import fmean

from matrix.core.outcome import Outcome
from matrix.probes.output import LEAST_GAP
from matrix.stats.control import Place, comparisons, control, settled
from matrix.stats.floors import Floors, pooled
from matrix.stats.judge import (
    NO_SIBLINGS,
    JudgeSettings,
    RunPoint,
    SeriesJudgement,
    judge_series,
    noise_of,
    standing,
)
from matrix.stats.settings import DEFAULTS
from matrix.store import PromptPoint, Store, StoredPoint

Judgements = dict[str, SeriesJudgement]


def judge_all(store: Store) -> int:
    """Judge every series again; returns how many there are. Flips already stored keep their number and time."""
    found = judgements(store)
    for key, judgement in found.items():
        _save(store, key, judgement)
    return len(found)


def judge_one(store: Store, series_key: str) -> SeriesJudgement:
    """Judge one series by itself, reading no other, and store its verdicts and flips."""
    judgement = judge_series(_points(store, series_key))
    _save(store, series_key, judgement)
    return judgement


def judgements(store: Store, settings: JudgeSettings = DEFAULTS) -> Judgements:
    """By series key; stores nothing.

    The noise of series on the same engine and hardware is lent to each other. Falls are controlled over each release
    of an engine, which is what a sweep compares: the same runs give the same answer, however sweeps were cut.
    """
    places = store.series.places()
    lent = _siblings(store, places, settings)
    found = {key: judge_series(_points(store, key), settings, lent.get(key, {})) for key in places}
    return _controlled(found, places, settings)


def _siblings(store: Store, places: dict[str, tuple[str, str]], settings: JudgeSettings) -> dict[str, Floors]:
    """For each series the noise that the others of its engine and hardware showed."""
    groups: dict[tuple[str, str], dict[str, Floors]] = defaultdict(dict)
    for key in sorted(store.series.repeated()):
        groups[places[key]][key] = noise_of(_points(store, key), settings)
    whole = {place: pooled(list(floors.values())) for place, floors in groups.items()}
    own = {key: floor for floors in groups.values() for key, floor in _without_own(floors).items()}
    return {key: own.get(key) or whole.get(place, {}) for key, place in places.items()}


def _without_own(floors: dict[str, Floors]) -> dict[str, Floors]:
    """For each key the pool of all others: what comes before it with what comes after it, so that it stays linear."""
    rows = list(floors.values())
    before = list(accumulate(rows, _join, initial=NO_SIBLINGS))
    after = list(accumulate(reversed(rows), _join, initial=NO_SIBLINGS))[::-1]
    return {key: _join(before[i], after[i + 1]) for i, key in enumerate(floors)}


def _join(one: Floors, other: Floors) -> Floors:
    return pooled([one, other])


def _controlled(found: Judgements, places: dict[str, tuple[str, str]], settings: JudgeSettings) -> Judgements:
    families: dict[tuple[str, str], list[tuple[str, Place, float]]] = defaultdict(list)
    for key, judgement in found.items():
        for place, p in comparisons(judgement).items():
            families[places[key][0], place[0]].append((key, place, p))
    q_values: dict[str, dict[Place, float]] = defaultdict(dict)
    for family in families.values():
        for (key, place, _), q in zip(family, control([p for _, _, p in family]), strict=True):
            q_values[key][place] = q
    return {key: settled(judgement, q_values[key], settings) for key, judgement in found.items()}


def _points(store: Store, key: str) -> list[RunPoint]:
    return [run_point(point) for point in store.series.points(key)]


def _save(store: Store, key: str, judgement: SeriesJudgement) -> None:
    store.series.save_verdicts(key, {r.run_id: r.verdicts for r in judgement.revisions})
    store.series.save_flips(key, judgement.flips, standing(judgement))


def run_point(point: StoredPoint) -> RunPoint:
    """A stored run as the judge sees it."""
    compared = [p for p in point.prompts if point.baseline_run is not None and point.outcome is not Outcome.INFRA]
    limit = max(point.noise.get("limit", 0.0), LEAST_GAP)
    return RunPoint(
        run_id=point.run_id,
        revision=point.revision,
        outcome=point.outcome,
        method=point.method,
        reason=point.reason,
        k=point.k,
        prompts={p.prompt_id: p.counters for p in point.prompts},
        flags={p.prompt_id: p.flags for p in point.prompts},
        tok_s={p.prompt_id: fmean(p.tok_s) for p in point.prompts if p.tok_s},
        baseline_tok_s={p.prompt_id: p.baseline_tok_s for p in point.prompts if p.baseline_tok_s is not None},
        compared=len(compared),
        diverged=sum(1 for p in compared if p.gaps),
        wrong=sum(1 for p in compared if _wrong(p, limit)),
        artifact=point.artifact_digest,
        boot=point.boot,
    )


def _wrong(prompt: PromptPoint, limit: float) -> bool:
    return any(gap is not None and gap > limit for gap, _ in prompt.gaps)
