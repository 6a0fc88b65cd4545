"""The records that fill large logs, pooled many at a time: SGLang's decode lines, vLLM's V1 windows and V0 counts."""

import operator
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import compress

from matrix.engines.logcolumns import Counts, Numbers, UnlikeError, columns, commas
from matrix.engines.logshape import shape_of

_RUNNING = re.compile(rb"#running-req: (\d{1,9}), #[^q]")
_LENGTH = re.compile(rb", accept len: (\d+\.\d\d), ")
_RANK = re.compile(rb"DP(\d+)[^\]\n]{0,40}\] Decode")
_DECODE = re.compile(
    rb"#running-req: (\d{1,9}),[^\n]*?, accept len: (\d+\.\d\d), (?:accept rate|cuda graph|gen throughput)"
)
_COUNTS = re.compile(
    rb"Accepted: (\d{1,15}) tokens, Drafted: (\d{1,15}) tokens, "
    rb"Per-position acceptance rate: (\d\.[\d., ]{2,}\d)(?:,? Avg|\s|$)"
)
_SAME_DEPTH = re.compile(rb", Accepted: (\d{1,15}) tokens, Drafted: (\d{1,15}) tokens, Per-")
"""The counters alone, for lines of which a shape has told how many rates follow."""
_MEAN = re.compile(rb"Mean acceptance length: (\d+\.\d\d), ")
_V0 = re.compile(
    rb"Number of speculative tokens: (\d{1,15}), Number of accepted tokens: \d+, "
    rb"Number of draft tokens(?: tokens)?: (\d{1,15}), "
    rb"Number of emitted tokens(?: tokens)?: (\d{1,15})\."
)
_DECODE_SHAPE = shape_of(b", accept len: ")
_WINDOW_SHAPE = shape_of(b"Mean acceptance length: ")
_RATES_SHAPE = shape_of(b"Per-position acceptance rate: ")
_V0_SHAPE = shape_of(b"Speculative metrics")
_RATE_WIDTH = len("0.000, ")
_ROUNDING = 0.006
_CHECKED = 4
"""Windows of a chunk whose printed mean is held against their counters; every one must fit."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """Readings of one source and group: their mean over `steps` (or running requests), and their number."""

    source: str
    group: str
    value: float
    steps: float
    times: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A V0 record: what its server counted since its start. `times` records up to this one are its own and older."""

    k: int
    drafted: int
    emitted: int
    times: int


def takes(line: bytes) -> bool:
    """True for a whole record that `pool` or `counts` reads."""
    if _DECODE.search(line) is not None or _V0.search(line) is not None:
        return True
    return _MEAN.search(line) is not None and _fit(line) and len(list(_one_window(line))) == 1


def pool(data: bytes, shapes: Collection[bytes], by_rank: bool, alone: bool = False) -> Iterable[Pooled]:
    """What the decode lines and windows of many lines add up to, `by_rank` or over all data-parallel ranks.

    `shapes` are those of the records among the lines: they tell what to look for. `alone`: no other line has a comma.
    """
    if any(_DECODE_SHAPE in shape for shape in shapes):
        yield from _decode(data, by_rank and b"DP" in data, commas(shapes) if alone else 0)
    if windows := [shape for shape in shapes if _WINDOW_SHAPE in shape]:
        depths = set(map(_depth, windows))
        yield from _windows(data, depths.pop() if len(depths) == 1 else 0)


def counts(data: bytes, shapes: Collection[bytes]) -> Iterator[Counted]:
    """The last V0 record of each server that counts in these lines: a count that falls belongs to a new one."""
    if not any(_V0_SHAPE in shape for shape in shapes):
        return
    found = [(int(k), int(drafted), int(emitted)) for k, drafted, emitted in _V0.findall(data)]
    found = [(k, drafted, emitted) for k, drafted, emitted in found if k and drafted]
    times = 0
    for now, after in zip(found, [*found[1:], None], strict=False):
        times += 1
        if after is None or after[1] < now[1]:
            yield Counted(*now, times)
            times = 0


_DECODE_HEADS = (b", #running-req: ", b", accept len: ")
_counts_made = Counts()
_lengths, _weights = Numbers(rb"(\d+\.\d\d)"), Numbers(rb"(\d{1,9})", 1.0)
_length_fields, _weight_fields = Numbers(rb" accept len: (\d+\.\d\d)"), Numbers(rb" #running-req: (\d{1,9})", 1.0)


def _decode(data: bytes, by_rank: bool, per_record: int) -> Iterable[Pooled]:
    if by_rank:
        yield from _by_rank(*_found(data, by_rank=True))
        return
    try:
        running, lengths = columns(data, per_record, _DECODE_HEADS)
        steps, means = list(map(_weight_fields.__getitem__, running)), list(map(_length_fields.__getitem__, lengths))
    except UnlikeError:
        _, steps, means = _found(data, by_rank=False)
    if total := sum(steps):
        yield Pooled("decode", "", sum(map(operator.mul, steps, means)) / total, total, len(steps))


def _found(data: bytes, by_rank: bool) -> tuple[list[bytes], list[float], list[float]]:
    """Rank, running requests and length of each decode line, wherever it has them."""
    running, lengths = _RUNNING.findall(data), _LENGTH.findall(data)
    ranks = _RANK.findall(data) if by_rank else lengths
    if not len(running) == len(lengths) == len(ranks):
        running, lengths, ranks = _singly(data)
    return ranks, list(map(_weights.__getitem__, running)), list(map(_lengths.__getitem__, lengths))


def _singly(data: bytes) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Running requests, length and rank (empty for none) of each decode line."""
    found = []
    for line in data.split(b"\n"):
        if fields := _DECODE.search(line):
            rank = _RANK.search(line)
            found.append((fields[1], fields[2], rank[1] if rank else b""))
    running, lengths, ranks = (list(column) for column in zip(*found, strict=True)) if found else ([], [], [])
    return running, lengths, ranks


def _by_rank(ranks: list[bytes], steps: list[float], means: Iterable[float]) -> Iterable[Pooled]:
    sums: dict[bytes, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
    for rank, weight, mean in zip(ranks, steps, means, strict=True):
        entry = sums[rank]
        entry[0] += weight
        entry[1] += weight * mean
        entry[2] += 1
    for rank, (weight, tokens, count) in sums.items():
        yield Pooled("decode", f"DP{rank.decode()}" if rank else "", tokens / weight, weight, int(count))


def _depth(shape: bytes) -> int:
    """How many rates by position a window of this shape has."""
    rates = shape.partition(_RATES_SHAPE)[2]
    return rates[: len(rates) - len(rates.lstrip(b"., "))].count(b".")


def _windows(data: bytes, k: int) -> Iterator[Pooled]:
    """Windows added up by their counters; singly and as printed where counters do not fit.

    `k` is the number of rates that each has, 0 where that differs.
    The means of vLLM 0.8.5 lack the bonus token, so they may be one less than the counters say.
    """
    if not _fit(data):
        for line in data.split(b"\n"):
            yield from _one_window(line)
    elif not k:
        yield from _of_each_depth(_COUNTS.findall(data))
    elif _SAME_DEPTH.search(data):
        accepted, drafted = _counters(data)
        if total := sum(drafted):
            yield Pooled("window", "", 1 + k * sum(accepted) / total, total / k, len(drafted))


def _counters(data: bytes) -> tuple[list[int], list[int]]:
    """Accepted and drafted tokens of each window."""
    accepted, drafted = zip(*_SAME_DEPTH.findall(data), strict=True)
    return list(map(_counts_made.__getitem__, accepted)), list(map(_counts_made.__getitem__, drafted))


def _of_each_depth(found: list[tuple[bytes, bytes, bytes]]) -> Iterator[Pooled]:
    """The windows of each number of rates; (accepted, drafted, rates) of each is given."""
    if not found:
        return
    accepted, drafted, rates = zip(*found, strict=True)
    widths = list(map(len, rates))
    for width in set(widths):
        chosen = list(map(width.__eq__, widths))
        k, total = (width + 2) // _RATE_WIDTH, sum(map(int, compress(drafted, chosen)))
        if total:
            yield Pooled(
                "window", "", 1 + k * sum(map(int, compress(accepted, chosen))) / total, total / k, sum(chosen)
            )


def _one_window(line: bytes) -> Iterator[Pooled]:
    mean, counts = _MEAN.search(line), _COUNTS.search(line)
    if mean and counts:
        drafts = int(counts[2]) / ((len(counts[3]) + 2) // _RATE_WIDTH)
        if not _fit(line) and float(mean[1]) > 1:
            drafts = int(counts[1]) / (float(mean[1]) - 1)
        if drafts:
            yield Pooled("window", "", 1 + int(counts[1]) / drafts, drafts, 1)


def _fit(data: bytes) -> bool:
    """True when the printed means of windows spread over `data` follow from their counters."""
    step, place = max(len(data) // _CHECKED, 1), 0
    while place < len(data):
        mean = _MEAN.search(data, place)
        if not mean:
            break
        end = data.find(b"\n", mean.end())
        counts = _COUNTS.search(data, mean.end(), end + 1 if end >= 0 else len(data))
        place = max(mean.end(), place + step)
        if not counts:
            continue
        drafts = int(counts[2]) / ((len(counts[3]) + 2) // _RATE_WIDTH)
        counted = 1 + int(counts[1]) / drafts if drafts else 1.0
        if min(abs(float(mean[1]) - counted), abs(float(mean[1]) + 1 - counted)) > _ROUNDING:
            return False
    return True
