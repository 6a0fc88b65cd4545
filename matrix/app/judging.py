"""Judges stored series: reads runs, asks the pure judge, controls over each release, stores verdicts and flips."""

from collections.abc import Callable, Collection, Iterable

from matrix.app.course import Course, Prepared, course, prepare
from matrix.app.families import control_releases, controlled, families, q_beside_stored, q_of, q_values
from matrix.app.lending import keep_noise, lent, own_noise, stored_noise
from matrix.app.points import points
from matrix.app.thresholds import settings_of
from matrix.stats.control import comparisons
from matrix.stats.floors import Floors
from matrix.stats.judge import NO_SIBLINGS, JudgeSettings, SeriesJudgement, judge_series, standing
from matrix.store import Place, Q, Store

Judgements = dict[str, SeriesJudgement]
Change = Callable[[JudgeSettings], JudgeSettings]


def judge_all(store: Store) -> int:
    """Judge every series again by its counters; returns how many there are. Flips already stored keep their number and
    time. One series is held in memory at a time.
    """
    places = store.judged.places()
    settings = _settings(store, places)
    own = own_noise(store, store.judged.repeated(), settings)
    keep_noise(store, own, places)
    borrowed = lent(own, places, places)
    for key in places:
        _again(store, prepare(store, key, settings[key], afresh=True), places[key], borrowed[key])
    for key in control_releases(store):
        _again(store, prepare(store, key, settings[key]), places[key], borrowed[key])
    return len(places)


def judge_some(store: Store, keys: Iterable[str]) -> Judgements:
    """Judge these series and store what is said, reading the runs of no other; returns what was judged.

    What others contribute is read as it was stored when they were judged: the noise of their boots, and, for each
    release with a comparison that is new, the p-values of all its comparisons. Series whose state the control over such
    a release overturns are judged with them.
    """
    asked = set(keys)
    found, overturned = _part(store, asked)
    if overturned:
        found, _ = _part(store, asked | overturned)
    return {key: _keep(store, place[0], of, q) for key, (place, of, q) in found.items()}


def judge_one(store: Store, series_key: str) -> SeriesJudgement:
    """Judge one series by itself, reading no other, and store its verdicts and flips; q-values of comparisons that came
    out as they were stay.
    """
    place = store.judged.places([series_key]).get(series_key)
    if place is None:
        return SeriesJudgement()
    settings = settings_of(store.judged.thresholds([series_key]).get(series_key, {}))
    found = course(store, prepare(store, series_key, settings), NO_SIBLINGS)
    return _keep(store, place[0], found, found.kept())


def judgements(store: Store, change: Change = lambda settings: settings) -> Judgements:
    """By series key, under the thresholds in force as `change` turns them; stores nothing.

    The noise of series on the same engine and hardware is lent to each other. Falls are controlled over each release
    of an engine, which is what a sweep compares: the same runs give the same answer, however sweeps were cut.
    """
    places = store.judged.places()
    settings = {key: change(of) for key, of in _settings(store, places).items()}
    borrowed = lent(own_noise(store, store.judged.repeated(), settings), places, places)
    found = {key: judge_series(points(store, key), settings[key], borrowed[key]) for key in places}
    p_values = {key: comparisons(judgement) for key, judgement in found.items()}
    return controlled(found, places, q_values(families(p_values, places)), settings)


def _settings(store: Store, keys: Collection[str]) -> dict[str, JudgeSettings]:
    stored = store.judged.thresholds(keys)
    return {key: settings_of(stored.get(key, {})) for key in keys}


Part = dict[str, tuple[Place, Course, Q]]


def _part(store: Store, keys: set[str]) -> tuple[Part, set[str]]:
    """These series judged beside what is stored of the others, and those others whose state that overturns."""
    places = store.judged.places(keys)
    settings = _settings(store, places)
    prepared = {key: prepare(store, key, settings[key]) for key in places}
    keep_noise(store, {key: prepared[key].noise for key in store.judged.repeated(keys)}, places)
    noise, lenders = stored_noise(store, places)
    borrowed = lent(noise, lenders, places)
    courses = {key: course(store, prepared.pop(key), borrowed[key]) for key in places}
    p_values = {key: of.p_values() for key, of in courses.items()}
    kept = families({key: of.kept() for key, of in courses.items()}, places)
    q, overturned = q_beside_stored(store, families(p_values, places), kept)
    return {k: (places[k], of, q_of(k, p_values[k], places[k][0], q)) for k, of in courses.items()}, overturned


def _again(store: Store, prepared: Prepared, place: Place, siblings: Floors) -> None:
    found = course(store, prepared, siblings)
    _keep(store, place[0], found, found.kept())


def _keep(store: Store, engine: str, found: Course, q: Q) -> SeriesJudgement:
    """Store the judgement that the q-values lead to, and return it."""
    final, rows = found.settled(q)
    store.memory.save(found.key, engine, rows, q, (final.flips, standing(final)))
    return final
