"""The end of a bisection: culprit or range, how sure, what differs between its two sides, and text for an issue."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Request
from matrix.app.commands import bisect_packages, repeat
from matrix.bisect.answers import Said
from matrix.bisect.priors import IMPLAUSIBLE
from matrix.bisect.search import Decision, Phase, State, culprit
from matrix.bisect.suspects import Suspects
from matrix.stats.differences import lock_differences, settings_differences
from matrix.stats.sides import Side
from matrix.store import Store
from matrix.store.bisections import StoredAnswer, StoredBisection

TOP = 5
_HASH_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Suspect:
    """One change and the probability that it is the culprit."""

    name: str
    probability: float
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """One answer, as the report lists it; `known`: its run was made before the bisection began."""

    point: str
    said: str
    why: str
    phase: str
    run_id: str | None
    known: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """`culprit` is None where several changes cannot be told apart; `range` is (last good, first bad].

    `confidence` is the probability that the range holds the culprit. `runs` counts the answers that rest on a run,
    `engine_starts` those that had to be made for it. `doubts` say why the answer may be wrong.
    """

    bisection: int
    status: str
    engine: str
    question: str
    level: str
    culprit: str | None
    range: tuple[str, str]
    suspects: list[Suspect]
    confidence: float
    runs: int
    engine_starts: int
    answers: list[Seen]
    subject: str = ""
    doubts: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    lock: list[str] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    not_tested: list[str] = field(default_factory=list)
    reproduce: str = ""
    resume: str = ""
    reason: str = ""
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Plain values; see `docs/schema.md`."""
        return asdict(self) | {"range": list(self.range)}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Report":
        """The report that `to_json` wrote."""
        good, bad = body["range"]
        lists = {
            "suspects": [Suspect(**s) for s in body["suspects"]],
            "answers": [Seen(**a) for a in body["answers"]],
        }
        return cls(**{**body, **lists, "range": (good, bad)})


def make_report(
    request: Request,
    line: Line,
    row: StoredBisection,
    state: State,
    decision: Decision,
    store: Store,
    *,
    engine_starts: int,
    resume: str,
) -> Report:
    """What the answers came to. A refusal (ends that do not differ) has no culprit and no suspects."""
    found = decision.suspects
    plain = Report(
        bisection=row.bisection_id,
        status=decision.phase.value,
        engine=row.engine,
        question=request.regress.value,
        level=row.level,
        culprit=None,
        range=(line.good.name, line.points[-1].name),
        suspects=[],
        confidence=0.0,
        runs=sum(not a.by_hand for a in row.answers),
        engine_starts=engine_starts,
        answers=[Seen(a.point, a.said, a.why, a.phase, a.run_id, _known(a, row, store)) for a in row.answers],
        reason=decision.reason,
        resume=resume,
        notes=list(line.notes),
    )
    if found is None:
        return plain
    sides = _sides(row, line, (found.good[0], found.bad), store)
    one = line.point(found.changes[0]) if len(found.changes) == 1 else None
    answered = replace(
        plain,
        culprit=one.name if one else None,
        subject=one.subject if one else "",
        range=(line.point(found.good[0]).name, line.point(found.bad).name),
        suspects=top(line, state),
        confidence=found.mass,
        doubts=_doubts(request, line, found, sides, decision),
        not_tested=_untested(line, state, found.changes),
    )
    return _compared(answered, *sides) if sides else answered


def _known(answer: StoredAnswer, row: StoredBisection, store: Store) -> bool:
    run = store.runs.point(answer.run_id) if answer.run_id else None
    return run is not None and run.finished_at < row.created_at


def _compared(report: Report, before: Side, after: Side) -> Report:
    return replace(
        report,
        settings=settings_differences(before, after),
        lock=lock_differences(before, after),
        before=_facts(before),
        after=_facts(after),
        reproduce=_reproduce(after),
    )


def top(line: Line, state: State) -> list[Suspect]:
    """The most probable changes, at most five."""
    chances = culprit(state)
    best = sorted(range(len(chances)), key=lambda i: -chances[i])[:TOP]
    return [
        Suspect(line.points[i].name, float(chances[i]), line.points[i].subject) for i in best if chances[i] > _SMALL
    ]


_SMALL = 0.0005


def _sides(row: StoredBisection, line: Line, points: tuple[int, int], store: Store) -> tuple[Side, Side] | None:
    """The last runs at both sides; None where one has none."""
    good, bad = (_last_run(row, line.point(point).name) or "" for point in points)
    found = store.compare.sides([good, bad])
    return (found[good], found[bad]) if good in found and bad in found else None


def _last_run(row: StoredBisection, name: str) -> str | None:
    runs = [a.run_id for a in row.answers if a.point == name and a.run_id is not None and a.said != Said.SKIP]
    return runs[-1] if runs else None


def _doubts(
    request: Request, line: Line, suspects: Suspects, sides: tuple[Side, Side] | None, decision: Decision
) -> list[str]:
    found = [] if decision.phase is Phase.DONE else [decision.reason]
    if sides and sides[0].artifact and sides[0].artifact == sides[1].artifact:
        found.append(
            "both sides served the same artifact: the step changes nothing that runs, so the cause lies elsewhere"
        )
    trees = line.point(suspects.good[0]).tree, line.point(suspects.bad).tree
    if trees[0] and trees[0] == trees[1]:
        found.append(f"the engine's Python is the same on both sides{_packages_then(request, sides)}")
    if all(line.weights[c] == IMPLAUSIBLE for c in suspects.changes):
        found.append("it touches documentation, tests or CI only")
    return [text for text in found if text]


def _packages_then(request: Request, sides: tuple[Side, Side] | None) -> str:
    """Where the packages differ too, the command that searches them."""
    if not sides or not lock_differences(*sides):
        return ""
    good, bad = sides
    told = bisect_packages(good.run_id, bad.run_id, request.regress.value, bad.revision)
    return f", and its packages are not; search these: {told}"


def _untested(line: Line, state: State, changes: Sequence[int]) -> list[str]:
    skipped = {a.point for a in state.answers if a.said is Said.SKIP}
    parts = [f"{line.point(p).name} could not be tested" for p in sorted(skipped)]
    if len(changes) > 1:
        parts.append(f"{len(changes)} changes that no testable point tells apart: " + _names(line, changes))
    return parts


def _names(line: Line, changes: Sequence[int]) -> str:
    shown = [short(line.point(c).name) for c in changes[:TOP]]
    return ", ".join(shown) + (f" and {len(changes) - TOP} more" if len(changes) > TOP else "")


def _facts(side: Side) -> dict[str, Any]:
    return {
        "revision": side.revision,
        "accept_length": side.accept_length,
        "tok_s": side.tok_s,
        "k": side.k,
        "signature": side.signature,
        "artifact": side.artifact,
        "run_id": side.run_id,
    }


def _reproduce(side: Side) -> str:
    return repeat(
        engine=side.engine, revision=side.revision, target=side.target, spec=side.spec, workload=side.workload
    )


def short(name: str) -> str:
    """A commit's hash by its first twelve digits; any other name as it is."""
    whole = len(name) == _HASH_LENGTH and all(c in "0123456789abcdef" for c in name)
    return name[:12] if whole else name
