"""One accept length for a whole log, or none when its readings tell of different things.

Readings of one source (logging windows, requests, summaries) are pooled by their counters, or by the number of running
requests where a line has none: a sum, never a mean of ratios. Windows wander with the text, so they agree while
their spread stays within a quarter of their mean, or within twice the noise that their own number of drafts allows
(Bhatia and Davis: the variance of a step in [1, k + 1] with mean m is at most (m - 1)(k + 1 - m)). Of many windows the
two halves of the log are compared instead. Summaries of whole runs must agree within one part in twenty.
"""

import math
from dataclasses import dataclass, field

from matrix.engines.logbulk import Pooled
from matrix.engines.reading import Reading

WINDOWS_SPREAD = 0.25
SUMMARIES_SPREAD = 0.05
SOURCES_SPREAD = 0.25
FEW = 8
_BLOCKS = 64
_ORDER = ("request", "cumulative", "window", "decode", "summary", "gauge", "scrape")
"""Sources from the most to the least exact; the first one present gives the value when all agree.
"""


@dataclass(slots=True)
class Block:
    """A stretch of readings: steps (or their stand-in) and tokens."""

    steps: float = 0.0
    tokens: float = 0.0

    @property
    def mean(self) -> float:
        return self.tokens / self.steps


@dataclass(slots=True)
class Pool:
    """Readings of one source and group, in a bounded number of blocks whatever their number."""

    low: float = math.inf
    high: float = -math.inf
    count: int = 0
    k: int | None = None
    last: float | None = None
    counted: bool = True
    blocks: list[Block] = field(default_factory=list)
    _room: int = 1
    _in_block: int = 0

    def add(self, value: float, steps: float, times: int = 1) -> None:
        """`times` readings whose pooled value is `value` over `steps` steps in all."""
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.count += times
        self.last = value
        if not self.blocks or self._in_block >= self._room:
            if len(self.blocks) >= _BLOCKS:
                self._halve()
            self.blocks.append(Block())
            self._in_block = 0
        self._in_block += times
        self.blocks[-1].steps += steps
        self.blocks[-1].tokens += value * steps

    def _halve(self) -> None:
        merged = []
        for one, two in zip(self.blocks[::2], self.blocks[1::2], strict=True):
            merged.append(Block(one.steps + two.steps, one.tokens + two.tokens))
        self.blocks = merged
        self._room *= 2

    @property
    def mean(self) -> float:
        """Tokens over steps of all readings."""
        return sum(b.tokens for b in self.blocks) / sum(b.steps for b in self.blocks)

    def agrees(self, spread: float) -> bool:
        """Whether the readings can be of one regime."""
        if self.count < FEW:
            return self.high - self.low <= max(spread * self.mean, self._noise())
        half = len(self.blocks) // 2
        first, second = _sum(self.blocks[:half]), _sum(self.blocks[half:])
        return abs(first.mean - second.mean) <= spread * self.mean

    def _noise(self) -> float:
        """Twice the most that two readings of this many drafts differ by chance; 0 where drafts are unknown."""
        if self.k is None or not self.counted:
            return 0.0
        steps = sum(b.steps for b in self.blocks) / self.count
        variance = max((self.mean - 1) * (self.k + 1 - self.mean), 0.0)
        return 2 * math.sqrt(2 * variance / max(steps, 1.0))


def _sum(blocks: list[Block]) -> Block:
    return Block(sum(b.steps for b in blocks), sum(b.tokens for b in blocks))


@dataclass(frozen=True, slots=True)
class Noted:
    """What a stretch of a log added: readings, and for each source and group their sums and number."""

    count: int = 0
    pools: dict[tuple[str, str], tuple[Block, int]] = field(default_factory=dict)


class Agreement:
    """Takes readings in the order of the log."""

    def __init__(self) -> None:
        self.count = 0
        self._pools: dict[tuple[str, str], Pool] = {}
        self._cumulative: Reading | None = None
        self._marked = 0
        self._since: dict[tuple[str, str], tuple[Block, int]] = {}

    @property
    def open(self) -> Reading | None:
        """The last count since a server's start, which the next one may close."""
        return self._cumulative

    def mark(self) -> Noted:
        """What was added since the last mark."""
        noted = Noted(self.count - self._marked, self._since)
        self._marked, self._since = self.count, {}
        return noted

    def repeat(self, noted: Noted) -> None:
        """Add the same once more."""
        self.count += noted.count
        for key, (block, times) in noted.pools.items():
            self._pools[key].add(block.mean, block.steps, times)

    def _add(self, key: tuple[str, str], value: float, steps: float, times: int) -> None:
        self._pools[key].add(value, steps, times)
        block, before = self._since.get(key, (Block(), 0))
        block.steps += steps
        block.tokens += value * steps
        self._since[key] = block, before + times

    def add(self, reading: Reading, times: int = 1) -> None:
        """Count a reading that has a value, or `times` equal ones."""
        self.count += times
        if reading.source == "cumulative" and reading.value is not None:
            self._close_if_restarted(reading)
            self._cumulative = reading
        else:
            self._pool(reading, times)

    def bulk(self, pooled: Pooled) -> None:
        """Count many readings at once."""
        self.count += pooled.times
        key = pooled.source, pooled.group
        self._pools.setdefault(key, Pool())
        self._add(key, pooled.value, pooled.steps, pooled.times)

    def _pool(self, reading: Reading, times: int = 1) -> None:
        if reading.value is None:
            return
        key = reading.source, reading.group
        pool = self._pools.setdefault(key, Pool())
        pool.k = reading.k or pool.k
        pool.counted = pool.counted and bool(reading.drafts)
        self._add(key, reading.value, times * (reading.drafts or reading.weight), times)

    def _close_if_restarted(self, reading: Reading) -> None:
        """A cumulative count that fell belongs to a new server: what the old one counted is complete."""
        old = self._cumulative
        if old is not None and (reading.drafts or 0) < (old.drafts or 0):
            self._pool(old)

    def value(self) -> float | None:
        """The log's accept length; None when nothing was read or the readings disagree."""
        if self._cumulative is not None:
            self._pool(self._cumulative)
            self._cumulative = None
        heard = _heard({name for name, _ in self._pools})
        means = [_one(s, [p for (name, _), p in self._pools.items() if name == s]) for s in _ORDER if s in heard]
        if not means or None in means:
            return None
        known = [m for m in means if m is not None]
        if max(known) - min(known) > SOURCES_SPREAD * known[0]:
            return None
        return round(known[0], 3)


def _heard(sources: set[str]) -> set[str]:
    """Counters outrank a gauge; a scrape of them counts since the start, so it is heard beside nothing else."""
    if "scrape" in sources:
        sources = sources - {"gauge"}
    return sources if sources == {"scrape"} else sources - {"scrape"}


def _one(source: str, pools: list[Pool]) -> float | None:
    """The value of one source over its groups (data-parallel ranks), None when they disagree."""
    spread = SUMMARIES_SPREAD if source in ("summary", "cumulative") else WINDOWS_SPREAD
    if not all(pool.agrees(spread) for pool in pools):
        return None
    means = [pool.mean for pool in pools]
    total = _sum([block for pool in pools for block in pool.blocks])
    return total.mean if max(means) - min(means) <= spread * total.mean else None
