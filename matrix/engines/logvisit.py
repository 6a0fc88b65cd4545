"""Looks at each new kind of log line: what it tells of the configuration, of acceptance, of service, and of failure."""

import re
from collections import deque
from dataclasses import dataclass, field

from matrix.engines import logbulk, readers
from matrix.engines.agreement import Agreement
from matrix.engines.causes import HOT, Causes
from matrix.engines.hot import hot
from matrix.engines.logscan import Handler
from matrix.engines.logsigns import Signs, matters
from matrix.engines.logtext import LINE_LIMIT, is_quiet, strip_prefixes
from matrix.engines.logwrap import LONGEST, Around, wrapped
from matrix.engines.logwrap import text as text_of
from matrix.engines.reading import (
    CUMULATIVE,
    EXACTLY_ONE,
    FROM_CHECK,
    MANY_DRAFTS,
    Context,
    Observation,
    Reading,
    checked,
    learn,
)

KEEP = 1000
"""Observations listed; later ones still count in the pooled value."""
_ABOUT_ACCEPTANCE = re.compile(
    rb"acc(?:ept)?[a-z]{0,8}[ _-]?len|er-position acceptance|SpecDecoding|System efficiency"
    rb"|not (?:greater|less) than|assert \d",
    re.I,
)


@dataclass(slots=True)
class LogVisit:
    """The visitor that `classify` sends through a log."""

    causes: Causes
    context: Context = field(default_factory=Context)
    agreement: Agreement = field(default_factory=Agreement)
    observations: list[Observation] = field(default_factory=list)
    signs: Signs = field(default_factory=Signs)
    recent: deque[bytes] = field(default_factory=lambda: deque(maxlen=12))
    _consumed: int = 0
    _pooled: dict[bytes, tuple[logbulk.Pooled, ...]] = field(default_factory=dict)
    _cache: dict[bytes, list[Reading]] = field(default_factory=dict)
    _idle: int = 0

    def wants_all(self) -> bool:
        """True inside a traceback, whose lines belong together."""
        return self.causes.tracebacks.inside

    def visit(self, number: int, lines: list[bytes], index: int) -> Handler | None:
        """Look at one line; the handler returned takes further lines of its shape."""
        raw = lines[index][:LONGEST]
        if not self.wants_all() and self.signs.settled and not hot(raw):
            self._remember(raw)
            return None
        self._remember(raw)
        self.signs.note(number, raw, self.causes.timeline)
        about = _ABOUT_ACCEPTANCE.search(raw) is not None
        read = about and self._read(number, lines, index)
        if self._blame(number, raw, lines, index):
            return self._again
        if read:
            return self._fast if logbulk.takes(raw) else self._read_again
        return self._progress if matters(raw) else None

    def _remember(self, raw: bytes) -> None:
        if raw.strip():
            self.recent.append(raw[:1000])

    def tail(self) -> str:
        """The last lines of new shapes."""
        return "\n".join(strip_prefixes(text_of(raw, 1000))[:400] for raw in self.recent)

    @property
    def last(self) -> str:
        """The last line of a new shape, cleaned; empty for an empty log."""
        return strip_prefixes(text_of(self.recent[-1], 1000)) if self.recent else ""

    def _again(self, number: int, lines: list[bytes], index: int) -> None:
        self.visit(number, lines, index)

    def _read_again(self, number: int, lines: list[bytes], index: int) -> None:
        self.causes.timeline.progress = number
        self._read(number, lines, index)

    def _progress(self, number: int, lines: list[bytes], index: int) -> None:
        self.signs.note(number, lines[index], self.causes.timeline)

    def _fast(self, number: int, lines: list[bytes], index: int) -> None:
        """A whole record of the commonest kinds: beyond the listed ones only its numbers count."""
        if len(self.observations) < KEEP:
            self._read_again(number, lines, index)
        else:
            line = lines[index]
            known = self._pooled.get(line)
            if known is None:
                known = tuple(logbulk.pool(line))
                if len(self._pooled) < KEEP:
                    self._pooled[line] = known
            self.causes.timeline.progress = number
            for pooled in known:
                self.agreement.bulk(pooled)

    def bulk(self, number: int, chunk: bytes, handlers: set[Handler]) -> bool:
        """Chunks of known lines once enough observations are listed."""
        if not handlers:
            return True
        if len(self.observations) < KEEP or not handlers <= {self._fast, self._progress}:
            return False
        self._pool(number + chunk.count(b"\n") - 1, chunk)
        return True

    def _pool(self, number: int, chunk: bytes) -> None:
        self.causes.timeline.progress = number
        for pooled in logbulk.pool(chunk):
            self.agreement.bulk(pooled)

    def _read(self, number: int, lines: list[bytes], index: int) -> bool:
        """List what the line says of acceptance; joins it with what follows where a terminal wrapped it."""
        if number <= self._consumed:
            return False
        known = self._cache.get(lines[index])
        if known is not None:
            for reading in known:
                self._list(number, reading)
            return True
        raw = text_of(lines[index], LONGEST)
        text = strip_prefixes(raw).rstrip("\r\n")
        found = self._readings(text, raw, lines, index)
        if not found or not readers.complete(text):
            for taken, joined in enumerate(wrapped(raw, lines, index), 1):
                longer = self._readings(strip_prefixes(joined), joined, lines, index)
                whole = readers.complete(joined)
                if longer and (whole or not found):
                    found, self._consumed = longer, number + taken
                if longer and whole:
                    break
        if found and self._consumed < number and FROM_CHECK not in found[0].flags and len(self._cache) < KEEP:
            self._cache[lines[index]] = found
        for reading in found:
            self._list(number, reading)
        return bool(found)

    def _readings(self, text: str, raw: str, lines: list[bytes], index: int) -> list[Reading]:
        before = lines[max(index - 5, 0) : index] if "assert" in text.lower() else []
        return [checked(r) for r in readers.read(text, raw, self.context, text_of(b" ".join(before), 2000))]

    def _list(self, number: int, reading: Reading) -> None:
        flags = reading.flags
        if reading.value is not None:
            self.agreement.add(reading)
            flags = (*flags, *self._never_accepted(reading))
        if len(self.observations) < KEEP:
            self.observations.append(Observation(number, reading.value, flags))

    def _never_accepted(self, reading: Reading) -> tuple[str, ...]:
        """Counts drafts of readings that are exactly one, until there are enough to mean it."""
        nothing = reading.accepted == 0 if reading.accepted is not None else reading.value == 1
        steps = reading.drafts if reading.drafts is not None else int(reading.weight)
        if not nothing:
            self._idle = 0
            return ()
        self._idle = steps if CUMULATIVE in reading.flags else self._idle + steps
        return (EXACTLY_ONE,) if self._idle >= MANY_DRAFTS else ()

    def _blame(self, number: int, raw: bytes, lines: list[bytes], index: int) -> bool:
        """Search the line for a cause; True when later lines of its shape must be seen too."""
        line = text_of(raw, LINE_LIMIT)
        again = False
        for part in line.split("\r"):
            text = strip_prefixes(part).rstrip()
            if not text:
                continue
            learn(self.context, text)
            quiet = HOT.search(text) is not None and is_quiet(part)
            again |= self.causes.look(number, text, quiet, Around(line, lines, index))
        return again
