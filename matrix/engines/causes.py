"""Chooses the line that names the cause: the table first, then the first error that is no wrapper."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from matrix.core.failure import Failure
from matrix.core.outcome import Outcome
from matrix.engines.benign import BENIGN, CHECK_FAILED
from matrix.engines.hot import may_blame
from matrix.engines.lazyregex import Lazy
from matrix.engines.signature import Phase, Signature, normalise
from matrix.engines.tracebacks import BARE, Role, Tracebacks

REASON_LIMIT = 300
_NOT_BENIGN = Lazy(r"driver on your system is too old|Retry\(total=0")


class Around(Protocol):
    """The lines about the one that is looked at, made when they are asked for."""

    @property
    def rows(self) -> bool:
        """False when it is known that no word of the failure table stands here."""

    def excerpt(self) -> str:
        """A dozen lines that end a little after it."""

    def wrapped(self) -> list[str]:
        """The line joined to what may be its continuation."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A row of the table found in the log, with the crash's phase and the lines around it."""

    number: int
    failure: Failure


@dataclass(slots=True)
class Timeline:
    """Line numbers of the last start, the first and last sign of service, and how many signs came after a crash."""

    booted: int = 0
    ready: int = 0
    progress: int = 0
    stopped: int = 0

    def serve(self, number: int) -> None:
        """A sign of service at line `number`."""
        self.progress = number
        if self.ready <= self.booted:
            self.ready = number

    def outlived(self, number: int) -> bool:
        """True when the same server went on serving after line `number`."""
        return self.progress > number and not number < self.booted <= self.progress

    def stopping(self, number: int) -> bool:
        """True when the server had been told to stop before line `number`: parts that die then are no failure."""
        return self.booted < self.stopped < number


@dataclass(slots=True)
class Causes:
    """Fed with lines; asked at the end. `served` None leaves the phase of a crash to the log."""

    table: Sequence[Signature]
    rows_of_wrappers: Sequence[Signature]
    wrappers: Sequence[str]
    served: bool | None
    timeline: Timeline = field(default_factory=Timeline)
    tracebacks: Tracebacks = field(default_factory=Tracebacks)
    _best: dict[bool, tuple[int, Hit]] = field(default_factory=dict)
    _error: Hit | None = None
    _wrapper: tuple[int, Hit] | None = None
    _cut: Hit | None = None

    def standing(self) -> tuple[object, ...]:
        """What was found so far, and how tracebacks stand, but for the numbers of lines."""
        return dict(self._best), self._error, self._wrapper, self._cut, self.tracebacks.standing()

    def look(self, number: int, text: str, quiet: bool, around: Around) -> Role:
        """Search one cleaned line; returns what it, and later ones of its shape, are to tracebacks."""
        role = self.tracebacks.line(number, text)
        if self.tracebacks.of_request(role):
            return role
        if role in ("header", "frame"):
            self._keep_cut(number, text, role, around)
        elif may_blame(text):
            if CHECK_FAILED.search(text):
                self._end_check(role)
            else:
                self._blame(number, text, quiet, role, around)
        return role

    def _keep_cut(self, number: int, text: str, role: Role, around: Around) -> None:
        """The last frame so far, in case that no error follows; not once an error has."""
        if self._error is None and (self._cut is None or role == "frame"):
            first = self._cut.number if self._cut else number
            self._cut = Hit(first, self._cut_failure(around))

    def _end_check(self, role: Role) -> None:
        """A bar that a test missed ends its own traceback, which is not cut then."""
        if role == "error" and self._cut and self._cut.number >= self.tracebacks.stack.start:
            self._cut = None

    def _blame(self, number: int, text: str, quiet: bool, role: Role, around: Around) -> None:
        if around.rows and (_NOT_BENIGN.search(text) or not (quiet or BENIGN.search(text))):
            self._search(number, text, around)
        if not quiet and (role == "error" or BARE.match(text)):
            self._keep_error(number, text, around)

    def _search(self, number: int, line: str, around: Around) -> None:
        if self._table(number, line, around) or any(self._table(number, x, around) for x in around.wrapped()):
            return
        for rank, row in enumerate(self.rows_of_wrappers):
            if self._wrapper is not None and rank >= self._wrapper[0]:
                return
            if match := row.pattern.search(line):
                self._wrapper = (rank, Hit(number, self._failure(row, match, number, around)))
                return

    def _table(self, number: int, text: str, around: Around) -> bool:
        """Keep the line when it holds a row above the best so far; hangs are kept apart, for they may pass."""
        for rank, row in enumerate(self.table):
            hang = row.outcome is Outcome.HANG
            if hang in self._best and rank >= self._best[hang][0]:
                continue
            if match := row.pattern.search(text):
                self._best[hang] = (rank, Hit(number, self._failure(row, match, number, around)))
                return True
        return False

    def _failure(self, row: Signature, match: re.Match[str], number: int, around: Around) -> Failure:
        groups = {k: v or "" for k, v in match.groupdict().items()} | {"hit": match.group(0)}
        return Failure(
            outcome=row.outcome or self._crash(self._phase(number) or row.usual),
            reason=" ".join(row.reason.format(**groups).split()).rstrip(" :")[:REASON_LIMIT],
            next_step=row.next_step.format(**groups),
            signature=row.name,
            excerpt=around.excerpt(),
        )

    def _keep_error(self, number: int, text: str, around: Around) -> None:
        if self._error is None and not any(w in text for w in self.wrappers):
            crash = self._crash(self._phase(number) or "load")
            step = "read the log around this line"
            self._error = Hit(number, Failure(crash, text[:REASON_LIMIT], step, normalise(text), around.excerpt()))

    def _cut_failure(self, around: Around) -> Failure:
        stack = self.tracebacks.stack
        last = stack.functions[-1] if stack.functions else "?"
        crash = self._crash(stack.phase or self._served_phase() or "load")
        reason = f"a traceback is cut off before its error; its last frame is in {last}"
        return Failure(crash, reason, "find the end of this traceback", f"cut-traceback in {last}", around.excerpt())

    def _phase(self, number: int) -> Phase | None:
        stack = self.tracebacks.stack
        near = stack.functions and number - stack.start < 400
        return (stack.phase if near else None) or self._served_phase()

    def _served_phase(self) -> Phase | None:
        line = self.timeline
        return "serve" if line.ready and line.ready >= line.booted else None

    def _crash(self, phase: Phase) -> Outcome:
        if self.served is not None:
            phase = "serve" if self.served else "load"
        return Outcome.SERVE_CRASH if phase == "serve" else Outcome.LOAD_CRASH

    def named(self) -> Failure | None:
        """The table's answer: a root cause, else a hang that did not pass."""
        if False in self._best:
            return self._best[False][1].failure
        hang = self._best.get(True)
        return hang[1].failure if hang and not self.timeline.outlived(hang[1].number) else None

    def told(self) -> Failure | None:
        """What is left when the table knows nothing: an error, a wrapper, a cut traceback."""
        if self._error and not self.timeline.outlived(self._error.number):
            return self._error.failure
        for hit in (self._wrapper and self._wrapper[1], self._cut):
            if hit and not self.timeline.outlived(hit.number) and not self.timeline.stopping(hit.number):
                return hit.failure
        return None
