"""One stored series judged, from its first revision on for which what was concluded before holds no longer."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate

from matrix.app.points import run_point
from matrix.app.remembering import (
    alone_from_json,
    alone_to_json,
    digest,
    first_link,
    ground_of,
    inputs_of,
    references_from_json,
    references_to_json,
    storable,
    trace_from_json,
    trace_to_json,
)
from matrix.core.errors import InfraError, Where
from matrix.core.state import Metric
from matrix.stats.boots import Revision, revisions
from matrix.stats.control import comparisons, settled
from matrix.stats.floors import Floors, pooled
from matrix.stats.judge import (
    NO_REFERENCES,
    References,
    RevisionJudgement,
    SeriesJudgement,
    Step,
    as_whole,
    floors_of,
    follow,
)
from matrix.stats.settings import JudgeSettings
from matrix.stats.trace import Trace, trace
from matrix.store import History, Q, Read, Remembered, Store

_TRIES = 20


class _MovedError(Exception):
    """A run was stored between two readings of a series."""


class _Runs:
    """The revisions of a series, read when they are asked for."""

    def __init__(self, store: Store, key: str, reads: Mapping[str, Sequence[Read]]) -> None:
        self._store, self._key, self._reads = store, key, reads
        self._held: dict[str, Revision] = {}

    def get(self, names: Iterable[str]) -> list[Revision]:
        """Those named, in that order."""
        wanted = list(names)
        missing = [name for name in wanted if name not in self._held]
        found = self._store.series.points_at((self._key, name) for name in missing)
        for name in missing:
            points = found.get((self._key, name), [])
            if [Read(name, p.boot, p.run_id, p.baseline_run) for p in points] != self._reads[name]:
                raise _MovedError
            (self._held[name],) = revisions([run_point(point) for point in points])
        return [self._held[name] for name in wanted]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A series before it is judged: what is known of it, and what each of its revisions shows by itself."""

    key: str
    settings: JudgeSettings
    history: History
    reads: Mapping[str, Sequence[Read]]
    inputs: Mapping[str, str]
    traces: Sequence[Trace]
    runs: _Runs

    @property
    def noise(self) -> Floors:
        """The noise between its own boots."""
        return pooled([one.noise for one in self.traces])

    def known(self, name: str) -> Remembered | None:
        """What is remembered of a revision whose own runs are the same still."""
        row = self.history.remembered.get(name)
        return row if row is not None and row.inputs == self.inputs[name] else None


@dataclass(frozen=True, slots=True)
class Course:
    """A series as its runs judge it, before any control over releases.

    `whole` is what each revision is called, `alone` what it was called before the series was seen as a whole; `rows` is
    what is to be remembered, a row a revision. Verdicts that came out as they are stored hold the q-values that are
    stored; others hold none.
    """

    key: str
    settings: JudgeSettings
    whole: Sequence[RevisionJudgement]
    alone: Sequence[RevisionJudgement]
    rows: Sequence[Remembered]
    history: History

    def p_values(self) -> Q:
        """The one-sided p of a fall for every comparison."""
        moved = self._moved()
        stored = {place: p for place, (p, _) in self.history.falls.items() if place[0] not in moved}
        return stored | comparisons(SeriesJudgement(tuple(moved.values())))

    def kept(self) -> dict[tuple[str, Metric], float]:
        """The stored q-values of comparisons that came out as they are stored."""
        stored = self.history.falls
        return {
            place: q
            for place, p in self.p_values().items()
            if (said := stored.get(place)) and said[0] == p and (q := said[1]) is not None
        }

    def settled(self, q: Q) -> tuple[SeriesJudgement, list[Remembered]]:
        """The states and flips that the q-values of all comparisons lead to, and the rows that say so."""
        moved = self._moved()
        told = {place: to for place, to in q.items() if place[0] in moved or self._stored_q(place) != to}
        final = settled(SeriesJudgement(tuple(self.whole)), told, self.settings)
        again = moved.keys() | {revision for revision, _ in told}
        pairs = zip(self.rows, self.alone, final.revisions, strict=True)
        return final, [_row(row, by, of) if row.revision in again else row for row, by, of in pairs]

    def _stored_q(self, place: tuple[str, Metric]) -> float | None:
        return self.history.falls.get(place, (0.0, None))[1]

    def _moved(self) -> dict[str, RevisionJudgement]:
        """The revisions whose verdicts are not the stored ones."""
        pairs = zip(self.rows, self.whole, strict=True)
        return {row.revision: of for row, of in pairs if not row.said or row.verdicts != of.verdicts}


def _row(row: Remembered, alone: RevisionJudgement, final: RevisionJudgement) -> Remembered:
    apart = alone_to_json(alone.verdicts, final.verdicts)
    return replace(row, run_id=final.run_id, verdicts=final.verdicts, alone=apart, said="")


def prepare(store: Store, key: str, settings: JudgeSettings, *, afresh: bool = False) -> Prepared:
    """Read what is known of a series, and the counters of those revisions alone of which nothing is.

    `afresh` goes by the counters of all, whatever is remembered.
    """
    for _ in range(_TRIES):
        history = store.memory.history(key)
        with suppress(_MovedError):
            return _prepared(store, key, settings, replace(history, remembered={}) if afresh else history)
    raise _unsteady(store, key)


def course(store: Store, prepared: Prepared, siblings: Floors) -> Course:
    """Judge a series; `siblings` as in `judge_series`. A remembered judgement and a fresh one are the same."""
    for _ in range(_TRIES):
        with suppress(_MovedError):
            return _course(prepared, siblings)
        prepared = prepare(store, prepared.key, prepared.settings)
    raise _unsteady(store, prepared.key)


def _unsteady(store: Store, key: str) -> InfraError:
    hint = "judge again when no sweep is storing runs: matrix judge"
    cause = f"series {key} changed {_TRIES} times while it was read"
    return InfraError(cause, hint=hint, where=Where(file=store.place))


def _prepared(store: Store, key: str, settings: JudgeSettings, history: History) -> Prepared:
    reads: dict[str, list[Read]] = {}
    for read in history.reads:
        reads.setdefault(read.revision, []).append(read)
    ground = ground_of(settings)
    inputs = {name: inputs_of(of, ground) for name, of in reads.items()}
    made = Prepared(key, settings, history, reads, inputs, (), _Runs(store, key, reads))
    fresh = [name for name in reads if made.known(name) is None]
    found = {name: trace(revision, settings) for name, revision in zip(fresh, made.runs.get(fresh), strict=True)}
    traces = [
        trace_from_json(name, row.trace) if (row := made.known(name)) is not None else found[name] for name in reads
    ]
    return replace(made, traces=traces)


def _course(prepared: Prepared, siblings: Floors) -> Course:
    settings, names = prepared.settings, list(prepared.reads)
    floors = floors_of(prepared.traces, siblings, settings)
    chain = list(accumulate(prepared.inputs.values(), digest, initial=first_link(floors)))[1:]
    held = _held(prepared, names, chain)
    earlier = [_before(row, prepared.reads[row.revision]) for row in held]
    later = names[len(held) :]
    references: References = NO_REFERENCES
    if held and later:
        references = references_from_json(held[-1].leaves, lambda at: prepared.runs.get(names[i] for i in at))
    steps = list(follow(prepared.runs.get(later), floors, settings, references))
    alone = [*earlier, *(step.judgement for step in steps)]
    rows = [*held, *_fresh(prepared, steps, names, chain)]
    whole = as_whole(prepared.traces, alone, settings, siblings)
    return Course(prepared.key, settings, whole, alone, rows, prepared.history)


def _held(prepared: Prepared, names: Sequence[str], chain: Sequence[str]) -> list[Remembered]:
    """What is remembered of the first revisions and holds."""
    held: list[Remembered] = []
    for name, link in zip(names, chain, strict=True):
        row = prepared.known(name)
        if row is None or row.chain != link:
            break
        held.append(row)
    return held


def _before(row: Remembered, reads: Sequence[Read]) -> RevisionJudgement:
    ids = tuple(read.run_id for read in reads)
    return RevisionJudgement(row.revision, row.run_id, ids, alone_from_json(row.alone, row.verdicts))


def _fresh(
    prepared: Prepared, steps: Sequence[Step], names: Sequence[str], chain: Sequence[str]
) -> Iterable[Remembered]:
    """Rows of the revisions that were judged now; a chain breaks at one that is not storable."""
    place = {name: i for i, name in enumerate(names)}
    traces = dict(zip(names, prepared.traces, strict=True))
    for step in steps:
        name, verdicts = step.judgement.revision, step.judgement.verdicts
        yield Remembered(
            revision=name,
            inputs=prepared.inputs[name],
            chain=chain[place[name]] if storable(verdicts) else "",
            trace=trace_to_json(traces[name]),
            leaves=references_to_json(step.references, place),
            alone=None,
            run_id=step.judgement.run_id,
            verdicts=verdicts,
        )
