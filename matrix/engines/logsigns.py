"""Signs in a log of which engine wrote it, that it started, and that it served."""

import re
from dataclasses import dataclass

from matrix.engines.causes import Timeline
from matrix.engines.logtext import LINE_LIMIT

_SERVES = (
    b"Decode batch",
    b"Prefill batch",
    b"SpecDecoding metrics",
    b"Speculative metrics",
    b"fired up and ready to roll",
    b"Application startup complete",
)
_RATES = (b"Avg generation throughput: ", b"gen throughput (token/s): ")
_ANSWERED = re.compile(rb"\"POST /(?:v1/\w+|generate)\S* HTTP/[\d.]+\" 200")
_BOOTS = (b"server_args=ServerArgs", b"vLLM API server version", b"non-default args: ")
_STOPS = (
    b"[shutdown]",
    b"received signal=SIGTERM",
    b"Gracefully exiting",
    b"SIGTERM received",
    b"INFO: Shutting down",
    b"INFO:     Shutting down",
)
_SGLANG = (
    b"sglang",
    b"sgl-kernel",
    b"sgl_kernel",
    b"sgl-workspace",
    b"sgl_workspace",
    b"lmsysorg",
    b"scheduler hit an exception",
    b"decode batch",
    b"spec_verify_ct",
    b"token_to_kv_pool",
    b"accept len:",
    b"fired up and ready to roll",
)
_VLLM = (
    b"vllm",
    b"enginecore",
    b"apiserver pid",
    b"specdecoding metrics",
    b"speculative metrics",
    b"num_spec_steps",
    b"worker pid",
    b"worker_tp",
)
_NAMED = 3000
"""Lines of new shapes that are asked for the engine's name."""
ENOUGH = 3
"""Records of generated tokens that prove a serving engine."""


@dataclass(slots=True)
class Signs:
    """Counts of what was seen."""

    tokens: int = 0
    sglang: int = 0
    vllm: int = 0
    _named: int = 0

    @property
    def engine(self) -> str | None:
        """The engine that more lines name; None for none, or for both alike."""
        if self.sglang == self.vllm:
            return None
        return "sglang" if self.sglang > self.vllm else "vllm"

    @property
    def naming(self) -> bool:
        """True while lines are asked for the engine's name."""
        return self._named < _NAMED

    def name(self, raw: bytes) -> None:
        """Count the engine that a line names, of the first few thousand."""
        if self._named < _NAMED:
            self._named += 1
            low = raw[:LINE_LIMIT].lower()
            self.sglang += any(map(low.__contains__, _SGLANG))
            self.vllm += any(map(low.__contains__, _VLLM))

    def note(self, number: int, raw: bytes, timeline: Timeline) -> None:
        """Take one line's signs of service, of a start and of an end."""
        if serves(raw):
            timeline.serve(number)
            self.tokens += self.tokens < ENOUGH and _generates(raw)
        elif any(map(raw.__contains__, _STOPS)):
            timeline.stopped = timeline.stopped if timeline.stopped > timeline.booted else number
        elif starts(raw):
            timeline.booted = number


def serves(raw: bytes) -> bool:
    """True when the line shows a server at work."""
    return (
        any(map(raw.__contains__, _SERVES))
        or (_RATES[0] in raw and _generates(raw))
        or (b'"POST /' in raw and _ANSWERED.search(raw) is not None)
    )


def rates(raw: bytes) -> bool:
    """True when the line has a rate of tokens, which may be zero."""
    return any(map(raw.__contains__, _RATES))


def starts(raw: bytes) -> bool:
    """True when a server starts here."""
    return any(map(raw.__contains__, _BOOTS)) or (b"Initializing a" in raw and b"LLM engine" in raw)


def turns(raw: bytes) -> bool:
    """True when a server starts here, or ends: lines that count each time."""
    return starts(raw) or any(map(raw.__contains__, _STOPS))


def _generates(raw: bytes) -> bool:
    """True when a rate of tokens is above zero."""
    for name, zero in zip(_RATES, (b"0.0 ", b"0.00"), strict=True):
        place = raw.find(name)
        if place >= 0 and not raw.startswith(zero, place + len(name)):
            return True
    return False
