"""Looks at each new kind of log line: what it tells of the configuration, of acceptance, of service, and of failure."""

from collections import deque
from collections.abc import Set
from dataclasses import dataclass, field
from operator import add

from matrix.engines.agreement import Noted
from matrix.engines.causes import Causes
from matrix.engines.hot import hot, is_junk, may_blame
from matrix.engines.logreadings import Readings, about_acceptance
from matrix.engines.logscan import LOOKBEHIND, POOLED, Kind, Standing, Stretch
from matrix.engines.logscreen import NOTHING, Screened, screen
from matrix.engines.logsigns import ENOUGH, Signs, rates, serves, turns
from matrix.engines.logtext import LINE_LIMIT, is_quiet, strip_prefixes
from matrix.engines.logwrap import LONGEST, Around
from matrix.engines.logwrap import text as text_of
from matrix.engines.reading import learn
from matrix.engines.tracebacks import Role

_ROLES: dict[Kind, Role] = {
    Kind.REQUEST: "request",
    Kind.CHAINED: "chained",
    Kind.HEADER: "header",
    Kind.ENDING: "error",
}
_KINDS = {role: kind for kind, role in _ROLES.items()}


@dataclass(slots=True)
class LogVisit:
    """The visitor that `classify` sends through a log."""

    causes: Causes
    readings: Readings = field(default_factory=Readings)
    signs: Signs = field(default_factory=Signs)
    recent: deque[bytes] = field(default_factory=lambda: deque(maxlen=12))
    _found: Screened = NOTHING
    _noted: Noted = field(default_factory=Noted)
    _blameless: set[int] = field(default_factory=set)
    _rowless: set[int] = field(default_factory=set)

    def wants_all(self) -> bool:
        """True inside a traceback and inside a table, whose lines belong together."""
        return self.causes.tracebacks.inside or self.readings.table.open

    def one_by_one(self, kind: Kind) -> bool:
        """Until the log has shown service and has enough readings; kinds that are not pooled always."""
        if kind is Kind.PROGRESS or kind is Kind.TOKENS:
            line = self.causes.timeline
            return line.ready <= line.booted or (kind is Kind.TOKENS and self.signs.tokens < ENOUGH)
        return self.readings.listing if kind in POOLED else kind in (Kind.BROKEN, Kind.ALWAYS)

    def screen(self, whole: bytes) -> Set[int]:
        """Lines with a word of ours."""
        self._found = screen(whole, self.causes.tracebacks.followed)
        return self._found.telling

    def screened(self, stretch: Stretch, likely: Set[int]) -> None:
        """Keep what the words said of each line; name the engine from the others, and keep the last of them."""
        found = self._found
        self._blameless = {stretch.number_of(index) for index in found.telling - found.blaming}
        self._rowless = {stretch.number_of(index) for index in found.blaming - found.rows}
        first = stretch.start if self.signs.naming else max(stretch.end - LOOKBEHIND, stretch.start)
        for index, raw in zip(range(first, stretch.end), stretch.tail(first), strict=False):
            if index not in likely:
                self.signs.name(raw)
                if index >= stretch.end - LOOKBEHIND:
                    self.skip(raw)

    def standing(self) -> Standing:
        """What later lines are read by, and the places that move with them; None while readings are listed."""
        self._noted = self.readings.agreement.mark()
        line, stack = self.causes.timeline, self.causes.tracebacks.stack
        places = (line.booted, line.ready, line.progress, line.stopped, stack.start, *self.readings.places)
        if self.readings.listing and self.readings.observations:
            return Standing(None, places)
        fixed = (self.causes.standing(), self.signs.tokens, self.signs.sglang, self.signs.vllm, tuple(self.recent))
        return Standing((*fixed, *self.readings.standing()), places)

    def repeat(self, moved: tuple[int, ...]) -> None:
        """Add the readings of the last stretch again, and move all places on."""
        self.readings.agreement.repeat(self._noted)
        line, stack = self.causes.timeline, self.causes.tracebacks.stack
        line.booted, line.ready, line.progress, line.stopped = map(
            add, (line.booted, line.ready, line.progress, line.stopped), moved
        )
        stack.start += moved[4]
        self.readings.move(*moved[5:])

    def skip(self, raw: bytes) -> None:
        """Keep a line for the end of the log."""
        if raw and not raw.isspace() and (raw.isascii() or not is_junk(raw)):
            self.recent.append(raw[:1000])

    def visit(self, number: int, lines: list[bytes], index: int) -> Kind:
        """Look at one line; the kind of those of its shape."""
        raw = lines[index][:LONGEST]
        if not raw.isascii() and is_junk(raw):
            return Kind.NOTHING
        self.skip(raw)
        self.signs.name(raw)
        if not (hot(raw) or self.wants_all()):
            return Kind.NOTHING
        self.signs.note(number, raw, self.causes.timeline)
        kind = self.readings.read(number, lines, index) if self._may_read(raw) else Kind.NOTHING
        if number in self._blameless and not self.wants_all():
            learn(self.readings.context, text_of(raw, LINE_LIMIT))
            role: Role = ""
        else:
            role = self._blame(number, raw, lines, index)
        if kind is not Kind.NOTHING:
            return kind
        if turns(raw):
            return Kind.ALWAYS
        if rates(raw):
            return Kind.TOKENS
        return Kind.PROGRESS if serves(raw) else _KINDS.get(role, Kind.NOTHING)

    def _may_read(self, raw: bytes) -> bool:
        return self.readings.table.open or about_acceptance(raw)

    def again(self, kind: Kind, number: int, lines: list[bytes], index: int) -> None:
        """Take one line of a known kind."""
        if kind in _ROLES:
            self.causes.tracebacks.resume(number, _ROLES[kind])
            return
        self.signs.note(number, lines[index], self.causes.timeline)
        if kind in (Kind.RECORD, Kind.READING, Kind.BROKEN):
            self.readings.read(number, lines, index)

    def bulk(self, stretch: Stretch, kinds: dict[Kind, set[bytes]], data: bytes | None) -> None:
        """Pool the readings; keep the last sign of service."""
        self.readings.pool(stretch, kinds, data)
        self._serve(stretch, kinds)

    def _serve(self, stretch: Stretch, kinds: dict[Kind, set[bytes]]) -> None:
        """Note the last sign of service; of one shape only rates of tokens differ in that."""
        sure = kinds.get(Kind.PROGRESS, set()) | kinds.get(Kind.RECORD, set())
        wanted = sure.union(*kinds.values())
        while wanted and (index := next(stretch.last(wanted), None)) is not None:
            shape = stretch.shapes[index]
            if shape in sure or serves(stretch.lines[index]):
                self.causes.timeline.serve(stretch.number_of(index))
                return
            if shape in kinds.get(Kind.TOKENS, ()) and self._serve_by_rate(stretch, shape, index):
                return
            wanted = wanted - {shape}

    def _serve_by_rate(self, stretch: Stretch, shape: bytes, index: int) -> bool:
        """Note the last line of this shape before `index` whose rate of tokens is above zero."""
        for earlier in stretch.last({shape}):
            if earlier < index and serves(stretch.lines[earlier]):
                self.causes.timeline.serve(stretch.number_of(earlier))
                return True
        return False

    def tail(self) -> str:
        """The last lines of new shapes."""
        return "\n".join(strip_prefixes(text_of(raw, 1000))[:400] for raw in self.recent)

    @property
    def last(self) -> str:
        """The last line of a new shape, cleaned; empty for an empty log."""
        return strip_prefixes(text_of(self.recent[-1], 1000)) if self.recent else ""

    def _blame(self, number: int, raw: bytes, lines: list[bytes], index: int) -> Role:
        """Search the line for a cause; returns what it is to tracebacks."""
        line = text_of(raw, LINE_LIMIT)
        found: Role = ""
        around = Around(line, lines, index, number not in self._rowless)
        for part in line.split("\r"):
            text = strip_prefixes(part).rstrip()
            if text:
                learn(self.readings.context, text)
                quiet = may_blame(text) and is_quiet(part)
                found = self.causes.look(number, text, quiet, around) or found
        return found
