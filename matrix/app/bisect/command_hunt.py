"""The hunt with a command of the user's instead of our probe: each run of it is a row.

Exit statuses mean what they mean to `git bisect run`: 0 good, 125 cannot be tested, up to 127 bad, anything above is no
evidence and stops the search. Points are checked out in a working tree of our own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from matrix.app.bisect.hunt import Say, state_of
from matrix.app.bisect.points import Line
from matrix.app.bisect.report import short
from matrix.app.bisect.request import Request
from matrix.app.bisect.sampled import count, under_way
from matrix.bisect.answers import Said
from matrix.bisect.search import Decision, Phase, State, decide
from matrix.core.errors import InfraError
from matrix.store import Store

SKIP, WORST_BAD = 125, 127

Try = Callable[[str, str], int]
"""Runs the command at a commit, with a name for the log of this run; returns its exit status."""


@dataclass(slots=True)
class CommandHunt:
    """One bisection by a command. `runs` counts the runs made by this process."""

    request: Request
    line: Line
    number: int
    store: Store
    attempt: Try
    say: Say
    runs: int = 0

    def go(self) -> tuple[State, Decision]:
        """Run until nothing is left to ask. InfraError for a status above 127; whatever was answered is kept."""
        while True:
            row = self.store.bisections.get(self.number)
            state = state_of(self.request, self.line, row)
            decision = decide(state)
            if not decision.points:
                self._explain(decision)
                return state, decision
            self.ask(decision.points[0], decision.phase)

    def ask(self, point: int, phase: Phase) -> None:
        """Complete one asking of a point: `samples` runs, or until one says that it cannot be tested."""
        name = self.line.point(point).name
        rows = [a for a in self.store.bisections.get(self.number).answers if a.point == name]
        made = sum(not a.by_hand for a in rows)
        for boot in range(made, made + self.request.samples - under_way(rows, self.request.samples)):
            code = self._status(name, boot)
            said = Said.SKIP if code == SKIP else Said.BAD if code else Said.GOOD
            why = f"exit status {code}"
            self.store.bisections.answer(self.number, name, said.value, why=why, boot=boot, phase=phase.value)
            self.say(f"{phase}: {short(name)} is {said} ({why})")
            if said is Said.SKIP:
                return

    def _status(self, name: str, boot: int) -> int:
        code = self.attempt(name, f"{short(name)}-{boot}")
        self.runs += 1
        if code > WORST_BAD:
            hint = f"mend it, then the same command goes on with bisection {self.number}"
            raise InfraError(f"the command ended with status {code} at {short(name)}, which is no answer", hint=hint)
        return code

    def _explain(self, decision: Decision) -> None:
        if decision.phase is not Phase.REFUSED:
            return
        row = self.store.bisections.get(self.number)
        ends = [self.line.good.name, self.line.points[-1].name]
        counts = [count(row, name, self.request.samples) for name in ends]
        told = " and ".join(f"{runs} at {short(name)}" for name, runs in zip(ends, counts, strict=True))
        if self.request.samples > 1:
            self.say(f"the ends do not differ beyond chance: {told}; more --samples may tell them apart")
        elif any(0 < runs.failed < runs.runs for runs in counts):
            self.say(f"{told}: a flaky command is searched with more runs at each point, `--samples 10`")
