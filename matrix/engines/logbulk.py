"""The records that fill large logs, pooled a chunk at a time: SGLang's decode lines and vLLM's V1 windows."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

_RECORD = (
    rb"Decode batch[^\n]{0,20}#running-req: (\d+),[^\n]*? accept len: (\d+\.\d\d), "
    rb"(?:accept rate|cuda graph|gen throughput)"
)
_DECODE = re.compile(_RECORD)
_RANKED = re.compile(rb"(?: |\[)DP(\d+)(?: [A-Z_]+\d+)*\] " + _RECORD)
_WINDOW = re.compile(
    rb"SpecDecoding metrics: Mean acceptance length: (\d+\.\d\d), [^\n]{0,120}?Accepted: (\d+) tokens, "
    rb"Drafted: (\d+) tokens, Per-position acceptance rate: ((?:\d\.\d{3}, )+)Avg Draft acceptance rate: [\d.]+%"
)


@dataclass(frozen=True, slots=True)
class Pooled:
    """Readings of one source and group: their mean over `steps` (or running requests), and their number."""

    source: str
    group: str
    value: float
    steps: float
    times: int


def takes(line: bytes) -> bool:
    """True for a whole record that `pool` reads."""
    return _DECODE.search(line) is not None or (_WINDOW.search(line) is not None and b"length: 0." not in line)


def pool(chunk: bytes) -> Iterable[Pooled]:
    """What a line or many lines add up to."""
    if b"accept len" in chunk:
        yield from _decode(chunk)
    if b"SpecDecoding" in chunk:
        yield from _windows(chunk)


def _decode(chunk: bytes) -> Iterable[Pooled]:
    ranked = b"DP" in chunk
    found = Counter(_RANKED.findall(chunk) if ranked else _DECODE.findall(chunk))
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
    for fields, times in found.items():
        steps = (int(fields[-2]) or 1) * times
        entry = sums[f"DP{fields[0].decode()}" if ranked else ""]
        entry[0] += steps
        entry[1] += steps * float(fields[-1])
        entry[2] += times
    for group, (weight, tokens, count) in sums.items():
        yield Pooled("decode", group, tokens / weight, weight, int(count))


def _windows(chunk: bytes) -> Iterable[Pooled]:
    found = _WINDOW.findall(chunk)
    steps = tokens = 0.0
    for value, _, drafted, rates in found:
        drafts = int(drafted) / rates.count(b",") or 1
        steps += drafts
        tokens += drafts * float(value)
    if steps:
        yield Pooled("window", "", tokens / steps, steps, len(found))
