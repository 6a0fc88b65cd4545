"""Signs in a log of which engine wrote it, that it started, and that it served."""

import re
from dataclasses import dataclass

from matrix.engines.causes import Timeline

_PROGRESS = re.compile(
    rb"Decode batch|Prefill batch|Avg generation throughput: (?!0\.0 )|SpecDecoding metrics|Speculative metrics"
    rb"|\"POST /(?:v1/\w+|generate)\S* HTTP/[\d.]+\" 200|fired up and ready to roll|Application startup complete"
)
_TOKENS = re.compile(rb"gen throughput \(token/s\): (?!0\.00)|Avg generation throughput: (?!0\.0 )")
_BOOT = re.compile(
    rb"server_args=ServerArgs|vLLM API server version|Initializing an? (?:V\d )?LLM engine|non-default args: "
)
_SGLANG = re.compile(
    rb"sglang|sgl[_-]kernel|sgl[_-]workspace|lmsysorg|Scheduler hit an exception|Decode batch|spec_verify_ct"
    rb"|token_to_kv_pool|accept len:",
    re.I,
)
_VLLM = re.compile(
    rb"vllm|EngineCore|APIServer pid|SpecDecoding metrics|Speculative metrics|num_spec_steps|Worker(?:_TP\d+)? pid",
    re.I,
)
_STOP = re.compile(rb"\[shutdown\]|received signal=SIGTERM|Gracefully exiting|SIGTERM received|INFO: +Shutting down")
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
    def settled(self) -> bool:
        """True once enough lines were asked for the engine's name."""
        return self._named >= _NAMED

    @property
    def engine(self) -> str | None:
        """The engine that more lines name; None for none, or for both alike."""
        if self.sglang == self.vllm:
            return None
        return "sglang" if self.sglang > self.vllm else "vllm"

    def note(self, number: int, raw: bytes, timeline: Timeline) -> None:
        """Take one line's signs."""
        if self._named < _NAMED:
            self._named += 1
            self.sglang += _SGLANG.search(raw) is not None
            self.vllm += _VLLM.search(raw) is not None
        if _PROGRESS.search(raw):
            timeline.progress = number
            timeline.ready = timeline.ready if timeline.ready > timeline.booted else number
            if self.tokens < ENOUGH and _TOKENS.search(raw):
                self.tokens += 1
        elif _STOP.search(raw):
            timeline.stopped = timeline.stopped if timeline.stopped > timeline.booted else number
        elif _BOOT.search(raw):
            timeline.booted = number


def matters(raw: bytes) -> bool:
    """True when later lines of this shape must be noted too."""
    return _PROGRESS.search(raw) is not None or _BOOT.search(raw) is not None or _STOP.search(raw) is not None
