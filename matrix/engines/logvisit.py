"""Looks at each new kind of log line: what it tells of the configuration, of acceptance, of service, and of failure."""

import re
from collections import Counter, deque
from dataclasses import dataclass, field

from matrix.engines import readers
from matrix.engines.agreement import Agreement
from matrix.engines.causes import HOT, Causes
from matrix.engines.logscan import Handler
from matrix.engines.logtext import LINE_LIMIT, has_prefix, is_quiet, plain, strip_prefixes
from matrix.engines.reading import CUMULATIVE, EXACTLY_ONE, MANY_DRAFTS, Context, Reading, checked, learn

KEEP = 1000
"""Observations listed; later ones still count in the pooled value."""
LONGEST = 1 << 16
_ABOUT_ACCEPTANCE = re.compile(
    rb"acc(?:ept)?[a-z]*[ _-]?len|er-position acceptance|System efficiency|not (?:greater|less) than|assert \d", re.I
)
_PROGRESS = re.compile(
    rb"Decode batch|Prefill batch|Avg generation throughput: (?!0\.0 )|SpecDecoding metrics|Speculative metrics"
    rb"|\"POST /(?:v1/\w+|generate)\S* HTTP/[\d.]+\" 200|fired up and ready to roll|Application startup complete"
)
_TOKENS = re.compile(rb"gen throughput \(token/s\): (?!0\.00)|Avg generation throughput: (?!0\.0 )")
_BOOT = re.compile(
    rb"server_args=ServerArgs|vLLM API server version|Initializing an? (?:V\d )?LLM engine|non-default args: "
)
_SGLANG = re.compile(
    rb"sglang|sgl[_-]kernel|sgl[_-]workspace|lmsysorg|Scheduler hit an exception|Decode batch|spec_verify_ct", re.I
)
_VLLM = re.compile(rb"vllm|EngineCore|APIServer pid|SpecDecoding metrics|Speculative metrics|num_spec_steps", re.I)
_NAMED = 3000
ENOUGH = 3
_DECODE = re.compile(
    rb"^(?:\[[\d: .-]{19,23}(?: TP0)?\] )?Decode batch[^\n]{0,20}#running-req: (\d+),[^\n]*? accept len: "
    rb"(\d+\.\d\d), accept rate: ",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Observation:
    """One accept length and its line. `accept_length` is None where the number is not to be believed."""

    line: int
    accept_length: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Around:
    """The lines about one line; made only for lines that matter."""

    line: str
    lines: list[bytes]
    index: int

    def excerpt(self) -> str:
        """At most a dozen lines that end a little after it, each cut at 400 characters."""
        near = self.lines[max(self.index - 9, 0) : self.index + 3]
        return "\n".join(strip_prefixes(_text(x, 1000)).rstrip()[:400] for x in near)

    def wrapped(self) -> list[str]:
        """The line joined to what may be its continuation, without prefixes."""
        return [strip_prefixes(joined) for joined in wrapped(self.line, self.lines, self.index)]


@dataclass(slots=True)
class LogVisit:
    """The visitor that `classify` sends through a log."""

    causes: Causes
    context: Context = field(default_factory=Context)
    agreement: Agreement = field(default_factory=Agreement)
    observations: list[Observation] = field(default_factory=list)
    tokens_seen: int = 0
    engines: dict[str, int] = field(default_factory=lambda: {"sglang": 0, "vllm": 0})
    last: str = ""
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=12))
    _consumed: int = 0
    _idle: int = 0
    _named: int = 0

    def wants_all(self) -> bool:
        """True inside a traceback, whose lines belong together."""
        return self.causes.tracebacks.inside

    def visit(self, number: int, lines: list[bytes], index: int) -> Handler | None:
        """Look at one line; the handler returned takes further lines of its shape."""
        raw = lines[index][:LONGEST]
        if not raw.strip():
            return None
        if self._named < _NAMED:
            self._name_engine(raw)
        self._time(number, raw)
        about = _ABOUT_ACCEPTANCE.search(raw) is not None
        read = about and self._read(number, lines, index)
        if self._blame(number, raw, lines, index):
            return self._again
        if read:
            return self._decode if _DECODE.search(raw) else self._read_again
        return self._progress if _PROGRESS.search(raw) or _BOOT.search(raw) else None

    def tail(self) -> str:
        """The last lines of new shapes."""
        return "\n".join(self.recent)

    def _again(self, number: int, lines: list[bytes], index: int) -> None:
        self.visit(number, lines, index)

    def _read_again(self, number: int, lines: list[bytes], index: int) -> None:
        self.causes.timeline.progress = number
        self._read(number, lines, index)

    def _progress(self, number: int, lines: list[bytes], index: int) -> None:
        self._time(number, lines[index])

    def _time(self, number: int, raw: bytes) -> None:
        line = self.causes.timeline
        if _PROGRESS.search(raw):
            line.progress = number
            line.ready = line.ready if line.ready > line.booted else number
            if self.tokens_seen < ENOUGH and _TOKENS.search(raw):
                self.tokens_seen += 1
        elif _BOOT.search(raw):
            line.booted = number

    def _name_engine(self, raw: bytes) -> None:
        self._named += 1
        self.engines["sglang"] += _SGLANG.search(raw) is not None
        self.engines["vllm"] += _VLLM.search(raw) is not None

    def _decode(self, number: int, lines: list[bytes], index: int) -> None:
        """A whole SGLang decode line beyond the listed ones: two fields, and nothing else."""
        match = _DECODE.search(lines[index]) if len(self.observations) >= KEEP else None
        if match is None:
            self._read_again(number, lines, index)
            return
        self.causes.timeline.progress = number
        self.agreement.bulk("decode", "", value=float(match[2]), steps=float(match[1]) or 1.0, times=1)

    def bulk(self, number: int, chunk: bytes, handlers: set[Handler]) -> bool:
        """Chunks of known lines once enough observations are listed."""
        if len(self.observations) < KEEP or not handlers <= {self._decode, self._progress}:
            return False
        counts = Counter(_DECODE.findall(chunk))
        if counts:
            weights = [(float(value), (float(running) or 1.0) * n) for (running, value), n in counts.items()]
            steps = sum(w for _, w in weights)
            pooled = sum(v * w for v, w in weights) / steps
            self.agreement.bulk("decode", "", value=pooled, steps=steps, times=counts.total())
        if handlers:
            self.causes.timeline.progress = number + chunk.count(b"\n") - 1
        return True

    def _read(self, number: int, lines: list[bytes], index: int) -> bool:
        """List what the line says of acceptance; joins it with what follows where a terminal wrapped it."""
        if number <= self._consumed:
            return False
        raw = _text(lines[index], LONGEST)
        text = strip_prefixes(raw).rstrip("\r\n")
        found = self._readings(text, raw, lines, index)
        if not found or not readers.complete(text):
            for taken, joined in enumerate(wrapped(raw, lines, index), 1):
                longer = self._readings(strip_prefixes(joined), joined, lines, index)
                if longer and (not found or readers.complete(joined)):
                    found, self._consumed = longer, number + taken
                    break
        for reading in found:
            self._list(number, reading)
        return bool(found)

    def _readings(self, text: str, raw: str, lines: list[bytes], index: int) -> list[Reading]:
        before = b"\n".join(lines[max(index - 5, 0) : index])[-2000:].decode("utf-8", "replace")
        return [checked(r) for r in readers.read(text, raw, self.context, before)]

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
        line = _text(raw, LINE_LIMIT)
        again = False
        for part in line.split("\r"):
            text = strip_prefixes(part).rstrip()
            if not text:
                continue
            self.last = text
            self.recent.append(text[:400])
            learn(self.context, text)
            quiet = HOT.search(text) is not None and is_quiet(part)
            again |= self.causes.look(number, text, quiet, Around(line, lines, index))
        return again


def wrapped(line: str, lines: list[bytes], index: int) -> list[str]:
    """`line` joined with one, two, ... of the lines after it, as long as these look like the rest of it.

    A terminal fills its width before it breaks: the rest is no longer than the line, has no prefix and no indentation.
    """
    out: list[str] = []
    joined, width = line, max(len(line), 40)
    if len(line) < 40:
        return out
    for following in lines[index + 1 : index + 7]:
        rest = _text(following, LONGEST).rstrip("\r\n")
        if not rest or rest.startswith(("  ", "\t")) or len(rest) > width + 2 or has_prefix(rest):
            break
        joined += rest
        out.append(joined)
        if len(rest) < width - 12:
            break
    return out


def _text(raw: bytes, limit: int) -> str:
    return plain(raw[:limit].decode("utf-8", "replace"))
