"""Judges stored series: reads runs, asks the pure judge, controls over each release, stores verdicts and flips."""

from collections.abc import Callable, Iterable, Mapping

from matrix.app.families import controlled, families, q_beside_stored, q_values
from matrix.app.lending import Places, keep_noise, lent, own_noise, stored_noise
from matrix.app.points import points
from matrix.app.thresholds import settings_of
from matrix.stats.floors import Floors
from matrix.stats.judge import JudgeSettings, SeriesJudgement, judge_series, standing
from matrix.store import Store

Judgements = dict[str, SeriesJudgement]
Change = Callable[[JudgeSettings], JudgeSettings]
Settings = Mapping[str, JudgeSettings]


def judge_all(store: Store) -> int:
    """Judge every series again; returns how many there are. Flips already stored keep their number and time."""
    places = store.judged.places()
    settings = _settings(store, places)
    own = own_noise(store, store.judged.repeated(), settings)
    keep_noise(store, own, places)
    for key, judgement in _whole(store, places, settings, own).items():
        _save(store, key, judgement)
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
    for key, judgement in found.items():
        _save(store, key, judgement)
    return found


def judge_one(store: Store, series_key: str) -> SeriesJudgement:
    """Judge one series by itself, reading no other, and store its verdicts and flips."""
    settings = settings_of(store.judged.thresholds([series_key]).get(series_key, {}))
    judgement = judge_series(points(store, series_key), settings)
    _save(store, series_key, judgement)
    return judgement


def judgements(store: Store, change: Change = lambda settings: settings) -> Judgements:
    """By series key, under the thresholds in force as `change` turns them; stores nothing.

    The noise of series on the same engine and hardware is lent to each other. Falls are controlled over each release
    of an engine, which is what a sweep compares: the same runs give the same answer, however sweeps were cut.
    """
    places = store.judged.places()
    settings = {key: change(of) for key, of in _settings(store, places).items()}
    return _whole(store, places, settings, own_noise(store, store.judged.repeated(), settings))


def _settings(store: Store, keys: Iterable[str]) -> dict[str, JudgeSettings]:
    stored = store.judged.thresholds()
    return {key: settings_of(stored.get(key, {})) for key in keys}


def _whole(store: Store, places: Places, settings: Settings, own: Mapping[str, Floors]) -> Judgements:
    borrowed = lent(own, places, places)
    found = {key: judge_series(points(store, key), settings[key], borrowed[key]) for key in places}
    return controlled(found, places, q_values(families(found, places)), settings)


def _part(store: Store, keys: set[str]) -> tuple[Judgements, set[str]]:
    """These series judged beside what is stored of the others, and those others whose state that overturns."""
    places = store.judged.places(keys)
    settings = _settings(store, places)
    own = own_noise(store, store.judged.repeated(keys), settings)
    keep_noise(store, own, places)
    noise, lenders = stored_noise(store, places)
    borrowed = lent(noise, lenders, places)
    found = {key: judge_series(points(store, key), settings[key], borrowed[key]) for key in places}
    q, overturned = q_beside_stored(store, families(found, places), keys)
    return controlled(found, places, q, settings), overturned


def _save(store: Store, key: str, judgement: SeriesJudgement) -> None:
    store.series.save_verdicts(key, {r.run_id: r.verdicts for r in judgement.revisions})
    store.series.save_flips(key, judgement.flips, standing(judgement))
