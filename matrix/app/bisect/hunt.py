"""The hunt: ends, search and verification, each answer stored before the next point is chosen.

decide(state) -> points -> plan -> run_sweep (known results cost nothing) -> tell -> a row -> decide again. A killed
hunt is taken up where it was: its rows are the state, and a run that was stored without an answer is found by its
content key.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from matrix.app.bisect.abreast import at_once
from matrix.app.bisect.ahead import Ahead, likely_next
from matrix.app.bisect.points import Line
from matrix.app.bisect.question import Ends, Told, tell
from matrix.app.bisect.request import Regress, Request
from matrix.app.bisect.sampled import sampled
from matrix.app.bisect.standing import standing
from matrix.app.bisect.subject import Subject
from matrix.app.sweep import run_sweep
from matrix.bisect.answers import Answer, Rates, Said
from matrix.bisect.history import GOOD_END
from matrix.bisect.search import Decision, Phase, Settings, State, decide
from matrix.core.cell import Cell
from matrix.core.errors import InfraError
from matrix.core.outcome import Outcome, Tier
from matrix.core.ports import Executor, Progress
from matrix.store import Store, StoredPoint
from matrix.store.bisections import StoredAnswer, StoredBisection

INFRA_TRIES = 3
"""Runs at one point that the machine may fail before the bisection stops."""

ASSUMED = Rates(0, 40, 0, 40)
"""What a judged run is trusted at before any of its points was run twice: as if forty runs at each end had all been
judged right, 2 % error. A greedy probe of one engine repeats itself; answers that contradict each other lower it.
"""

_BESIDE = -2
"""Stands for what is no point of the line."""

Say = Callable[[str], None]


def silent(_: str) -> None:
    """Says nothing."""


@dataclass(slots=True)
class Hunt:
    """One bisection being carried out, `parallel` points at a time. `runs` counts the engine starts of this process."""

    request: Request
    subject: Subject
    line: Line
    number: int
    store: Store
    executor: Executor
    progress: Progress
    say: Say
    seconds: tuple[float, ...] = ()
    note: Say = silent
    runs: int = 0
    parallel: int = 1
    ahead: Ahead | None = None
    _seen: dict[int, list[StoredPoint]] = field(default_factory=dict)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def go(self) -> tuple[State, Decision]:
        """Run until nothing is left to ask; returns the last state and decision. KeyboardInterrupt leaves all kept."""
        row = self.store.bisections.get(self.number)
        for answer in row.answers:
            self._remember(answer)
        while True:
            state = self.state()
            decision = decide(state)
            if not decision.points:
                return state, decision
            if self.ahead is not None and decision.phase is not Phase.ENDS:
                self.ahead.prepare(likely_next(state, decision.points))
            for point, run in self._runs(decision):
                told = self._keep(point, run, decision.phase)
                self.say(f"{decision.phase}: {self.line.point(point).name[:40]} is {told.said} ({told.why})")
                self.note(standing(self.line, self.state()))
                if decision.phase is Phase.ENDS and _settled(decide(self.state())):
                    break

    def state(self) -> State:
        """The state that the stored answers make, with this line's weights and costs."""
        row = self.store.bisections.get(self.number)
        found = state_of(self.request, self.line, row, self.seconds)
        return replace(found, settings=replace(found.settings, parallel=self.parallel))

    def ask(self, point: int, phase: Phase) -> Told:
        """Run the point once more than it was asked before, judge the run, and keep the answer."""
        return self._keep(point, self._run(point, self._boot(point)), phase)

    def ask_beside(self, pins: tuple[str, ...]) -> Told:
        """What a run with other packages than any point has says; it is judged as a point between the ends is."""
        pair = self.subject.cells(self.line.good.revision(self.subject.engine), 0, pins)
        return self._told(_BESIDE, self._made(pair))

    def _runs(self, decision: Decision) -> Iterator[tuple[int, StoredPoint]]:
        """The runs of the points to ask, several at a time where this host has the GPUs; ends follow each other."""
        points = self._in_order(decision)
        if decision.phase is Phase.ENDS or self.parallel == 1:
            return ((point, self._run(point, self._boot(point))) for point in points)
        return at_once(lambda point: self._run(point, self._boot(point)), points)

    def _boot(self, point: int) -> int:
        return self.store.bisections.next_boot(self.number, self.line.point(point).name)

    def _keep(self, point: int, run: StoredPoint, phase: Phase) -> Told:
        """Judge a run of the point, and store the answer."""
        boot = self._boot(point)
        told = self._told(point, run)
        self.store.bisections.answer(
            self.number,
            self.line.point(point).name,
            told.said.value,
            why=told.why,
            ratio=told.ratio,
            run_id=run.run_id,
            boot=boot,
            phase=phase.value,
        )
        self._seen.setdefault(point, []).append(run)
        if run.artifact_digest:
            self.store.bisections.hold(self.number, self.executor.name, run.artifact_digest, f"bisection {self.number}")
        return told

    def _told(self, point: int, run: StoredPoint) -> Told:
        row = self.store.bisections.get(self.number)
        working, broken = ends_of(self.request, self.line)
        question = self._question()
        ends = Ends(self._seen.get(working, []), self._seen.get(broken, []), row.signature)
        if point in (working, broken) and not self._seen.get(broken):
            # An end is not compared with itself; the broken one is compared with the working one.
            ends = Ends(self._seen.get(working, []) if point == broken else [], [], "")
        told = tell(question, run, ends, packages=bool(self.request.packages))
        if point == broken and told.said is Said.BAD and not row.signature and run.signature:
            self.store.bisections.sign(self.number, run.signature)
        return swapped(told) if self.request.regress is Regress.FIXED else told

    def _question(self) -> Regress:
        """For a repair, what was broken: a failure, else the accept length."""
        if self.request.regress is not Regress.FIXED:
            return self.request.regress
        _, broken = ends_of(self.request, self.line)
        runs = self._seen.get(broken, [])
        return Regress.WORKS if any(run.outcome.tier is not Tier.OK for run in runs) else Regress.ACCEPT

    def _run(self, point: int, boot: int) -> StoredPoint:
        """The run of a point at a boot ordinal, made now unless it is known. InfraError when the machine fails it."""
        return self._made(self.subject.at(self.line, point, boot))

    def _made(self, pair: tuple[Cell, Cell]) -> StoredPoint:
        """The run of a cell (the second; the first is its baseline)."""
        needs = self.request.regress.needs_baseline
        plan, key = self.subject.plan(pair, self.executor, self.store, baseline=needs)
        for _ in range(INFRA_TRIES):
            if plan.todo:
                outcome = run_sweep(plan, self.executor, self.store, self.progress)
                with self._counting:
                    self.runs += outcome.runs
            run = self.store.runs.newest(key)
            if run is not None and run.outcome is not Outcome.INFRA:
                return run
        reason = run.reason if run is not None else "no run was stored"
        hint = f"mend it, then the same command goes on with bisection {self.number}"
        raise InfraError(f"the machine failed {pair[1].revision} {INFRA_TRIES} times: {reason}", hint=hint)

    def _in_order(self, decision: Decision) -> list[int]:
        """The working end comes first: the broken one is judged against it."""
        working, _ = ends_of(self.request, self.line)
        return sorted(decision.points, key=lambda point: point != working)

    def _remember(self, answer: StoredAnswer) -> None:
        run = self.store.runs.point(answer.run_id) if answer.run_id else None
        if run is not None:
            self._seen.setdefault(self.line.index(answer.point), []).append(run)


def state_of(request: Request, line: Line, row: StoredBisection, seconds: tuple[float, ...] = ()) -> State:
    """The search's state from a bisection's rows."""
    answers = sampled(request, line, row) if request.command else _judged(line, row)
    settings = Settings(
        confidence=request.confidence,
        most_runs=request.most_runs,
        verify=request.verify,
        parallel=request.parallel,
        tolerate=request.tolerate,
    )
    costs = seconds or (1.0,) * len(line.points)
    return State(line.history, line.weights, costs, answers, ASSUMED, settings)


def _judged(line: Line, row: StoredBisection) -> tuple[Answer, ...]:
    return tuple(
        Answer(line.index(a.point), Said(a.said), None if a.point in _end_names(line) else a.ratio, a.run_id or "")
        for a in row.answers
    )


def _end_names(line: Line) -> tuple[str, str]:
    return line.good.name, line.points[-1].name


def ends_of(request: Request, line: Line) -> tuple[int, int]:
    """The working end and the broken end."""
    newest = len(line.points) - 1
    return (newest, GOOD_END) if request.regress is Regress.FIXED else (GOOD_END, newest)


def swapped(told: Told) -> Told:
    """When a repair is sought the search's bad means that it works."""
    if told.said is Said.SKIP:
        return told
    said = Said.GOOD if told.said is Said.BAD else Said.BAD
    return replace(told, said=said, ratio=None if told.ratio is None else -told.ratio)


def _settled(decision: Decision) -> bool:
    return decision.phase is Phase.REFUSED
