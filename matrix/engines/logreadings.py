"""The accept lengths of a log: listed one by one at first, then pooled a stretch of lines at a time."""

from collections import Counter
from dataclasses import dataclass, field

from matrix.engines import logbulk, readers, readers_tables, readers_vllm
from matrix.engines.agreement import Agreement
from matrix.engines.logscan import Kind, Stretch
from matrix.engines.logtext import LINE_LIMIT, clean, strip_prefixes
from matrix.engines.logwrap import LONGEST, wrapped
from matrix.engines.logwrap import text as text_of
from matrix.engines.readers_reports import Scrapes
from matrix.engines.readers_tables import Table
from matrix.engines.reading import CUMULATIVE, EXACTLY_ONE, MANY_DRAFTS, Context, Observation, Reading, checked

KEEP = 300
"""Observations listed; later ones still count in the pooled value."""
_RANKS_EVERY = 8
"""One stretch in eight is pooled by data-parallel rank, which costs more; the others add to the mean of all."""
_ABOUT = (
    b"accept",
    b"accpt",
    b"acc_len",
    b"acc len",
    b"acc-len",
    b"acc. len",
    b"er-position acceptance",
    b"specdecoding",
    b"system efficiency",
    b"not greater than",
    b"assert ",
    b"assertionerror: expected",
    b"spec_verify_ct",
    b"spec_decode_num_drafts",
    b"sglang:generation_tokens",
    b"sglang:num_requests",
    b"sglang:spec_verify_calls",
    b"position 0: ",
)

_SCRAPED = (b"vllm:spec_decode_num", b"sglang:")
_BARS = tuple("|│┃".encode()[i : i + n] for i, n in ((0, 1), (1, 3), (4, 3)))
_WRAPPED = 7
"""A line and those that may be its rest."""
_NEAR = 8
_DEEPEST = 65
_REPORT = 30
"""Lines after a summary in which rates by position repeat it."""
_STREAMED = (b"Decode batch", b"SpecDecoding", b"Mean acceptance", b"Speculative metrics")


def about_acceptance(raw: bytes) -> bool:
    """True when the line may hold an accept length."""
    low = raw.lower()
    return any(map(low.__contains__, _ABOUT))


def _complete(raw: bytes) -> bool:
    """False for a streamed record that lacks its end."""
    return not any(map(raw.__contains__, _STREAMED)) or readers.complete(text_of(raw, LONGEST).rstrip("\r\n"))


@dataclass(slots=True)
class Readings:
    """What was read so far."""

    context: Context = field(default_factory=Context)
    agreement: Agreement = field(default_factory=Agreement)
    observations: list[Observation] = field(default_factory=list)
    scrapes: Scrapes = field(default_factory=Scrapes)
    table: Table = field(default_factory=Table)
    _consumed: int = 0
    _summary: int = -1000
    _memo: dict[bytes, list[Reading]] = field(default_factory=dict)
    _joins: dict[tuple[bytes, ...], tuple[list[Reading], int]] = field(default_factory=dict)
    _idle: int = 0
    _pools: int = 0

    @property
    def listing(self) -> bool:
        """True while observations are listed."""
        return len(self.observations) < KEEP

    @property
    def places(self) -> tuple[int, int]:
        """The last line of a joined record, and the last summary."""
        return self._consumed, self._summary

    def move(self, consumed: int, summary: int) -> None:
        """Move both places on by so many lines."""
        self._consumed += consumed
        self._summary += summary

    def standing(self) -> tuple[object, ...]:
        """What later readings depend on, but for the numbers of lines."""
        context, table = self.context, self.table
        return context.k, context.configured, table.open, self.agreement.open, self.scrapes.standing()

    def read(self, number: int, lines: list[bytes], index: int) -> Kind:
        """List what the line says of acceptance; joins it with what follows where a terminal wrapped it."""
        if number <= self._consumed:
            return Kind.NOTHING
        if kind := self._of_several_lines(number, lines, index):
            return kind
        kind, found = Kind.READING, self._known(lines, index)
        if found is None or not _complete(lines[index]):
            joined = self._joined(number, lines, index, found)
            kind, found = (Kind.BROKEN, joined) if joined else (kind, found)
        for reading in found or ():
            self._list(number, reading)
        if not found:
            return Kind.NOTHING
        return Kind.RECORD if kind is Kind.READING and logbulk.takes(lines[index]) else kind

    def _of_several_lines(self, number: int, lines: list[bytes], index: int) -> Kind | None:
        """Take a line of a scrape, of a table with a header, or of the rates by position; None for any other."""
        raw = lines[index]
        if any(map(raw.__contains__, _SCRAPED)) and self.scrapes.takes(text := clean(text_of(raw, LINE_LIMIT))):
            return self._take(number, self.scrapes.read(text))
        was_open = self.table.open
        if was_open or any(map(raw.__contains__, _BARS)):
            rows = self.table.read(text_of(raw, LINE_LIMIT).rstrip())
            if rows or self.table.open != was_open:
                return self._take(number, rows)
        if b"0: " in raw and readers_tables.first_position(text_of(raw, LINE_LIMIT)):
            near = [text_of(line, LINE_LIMIT) for line in lines[max(index - _NEAR, 0) : index + _DEEPEST]]
            here = min(index, _NEAR)
            if number - self._summary > _REPORT:
                self._take(number, readers_tables.by_position(near[here:], "\n".join(near[:here])))
            return Kind.BROKEN
        return None

    def _take(self, number: int, readings: list[Reading]) -> Kind:
        for reading in readings:
            self._list(number, checked(reading))
        return Kind.BROKEN

    def pool(self, stretch: Stretch, kinds: dict[Kind, set[bytes]], data: bytes | None) -> None:
        """Pool the records of a stretch, all in `data` where that is not None, and its other readings."""
        if records := kinds.get(Kind.RECORD):
            if data is None:
                data = b"".join(stretch.lines[i] + b"\n" for i in stretch.indexes(records))
            alone = not any(b"," in shape for shape in stretch.distinct - records)
            for pooled in logbulk.pool(data, records, self._pools % _RANKS_EVERY == 0, alone):
                self.agreement.bulk(pooled)
            self._pools += 1
            for counted in logbulk.counts(data, records):
                self.agreement.add(readers_vllm.since_start(counted.k, counted.drafted, counted.emitted), counted.times)
        if readings := kinds.get(Kind.READING):
            self._pool_readings(stretch.lines, stretch.indexes(readings))

    def _pool_readings(self, lines: list[bytes], indexes: list[int]) -> None:
        places = {lines[i]: i for i in reversed(indexes)}
        for line, times in Counter([lines[i] for i in indexes]).items():
            for reading in self._known(lines, places[line]) or ():
                if reading.value is not None:
                    self.agreement.add(reading, times)

    def _known(self, lines: list[bytes], index: int) -> list[Reading] | None:
        """The line's own readings, None where it has none; the same for each line of the same text."""
        line = lines[index]
        found = self._memo.get(line)
        if found is None:
            found = self._readings(text_of(line, LONGEST), lines, index)
            if found and len(self._memo) < KEEP:
                self._memo[line] = found
        return found or None

    def _joined(self, number: int, lines: list[bytes], index: int, found: list[Reading] | None) -> list[Reading]:
        """The readings of the line and its rest, empty where that tells no more than the line."""
        about = tuple(lines[index : index + _WRAPPED])
        best, taken = self._joins.get(about) or self._join(lines, index, found)
        if len(self._joins) < KEEP and sum(map(len, about)) < LINE_LIMIT and not any(b"ssert" in x for x in about):
            self._joins[about] = best, taken
        if best:
            self._consumed = number + taken
        return best

    def _join(self, lines: list[bytes], index: int, found: list[Reading] | None) -> tuple[list[Reading], int]:
        """The readings, and the number of lines joined to the first."""
        best: list[Reading] = []
        end = 0
        for taken, joined in enumerate(wrapped(text_of(lines[index], LONGEST), lines, index), 1):
            longer, whole = self._readings(joined, lines, index), readers.complete(joined)
            if longer and (whole or not (found or best)):
                best, end = longer, taken
            if longer and whole:
                break
        return best, end

    def _readings(self, raw: str, lines: list[bytes], index: int) -> list[Reading]:
        text = strip_prefixes(raw).rstrip("\r\n")
        before = lines[max(index - 5, 0) : index] if "assert" in text.lower() else []
        return [checked(r) for r in readers.read(text, raw, self.context, text_of(b" ".join(before), 2000))]

    def _list(self, number: int, reading: Reading) -> None:
        flags = reading.flags
        if reading.source == "summary":
            self._summary = number
        if reading.value is not None:
            self.agreement.add(reading)
            flags = (*flags, *self._never_accepted(reading))
        if self.listing:
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
