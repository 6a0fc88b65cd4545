"""How SGLang fails, in its own words: the few causes that a sweep meets most (0.4.6 to 0.5.23)."""

import re

from matrix.core.outcome import Outcome
from matrix.engines.signature import Signature


def _row(name: str, pattern: str, outcome: Outcome | None, reason: str, next_step: str = "") -> Signature:
    return Signature(name, re.compile(pattern), outcome, reason, next_step)


SIGNATURES: tuple[Signature, ...] = (
    _row(
        "weights-missing",
        r"(?:Cannot find any model weights with|no file named .*(?:safetensors|bin).* found in directory) ?"
        r"(?P<where>.*)",
        None,
        "no weights were found in the model's folder: {where}",
        "put the weight files beside config.json",
    ),
    _row(
        "eagle3-target-unsupported",
        r"(?P<text>(?:object has no attribute|does not implement) '?set_eagle3_layers_to_capture)",
        Outcome.UNSUPPORTED,
        "this release has no EAGLE-3 hooks in this target's model",
        "look up the first release that has them",
    ),
    _row(
        "architecture-unsupported",
        r"Model architectures (?P<archs>\[[^\]]*\]) are not supported for now",
        None,
        "this release does not know the model architecture {archs}",
        "look up the first release that lists it",
    ),
    _row(
        "kv-cache-memory",
        r"Not enough memory\. Please try to increase --mem-fraction-static",
        Outcome.OOM,
        "no memory was left for the KV cache",
        "with a draft often a lower --mem-fraction-static or a smaller max_model_len",
    ),
    _row(
        "gpu-memory",
        r"(?:torch\.)?OutOfMemoryError: CUDA out of memory",
        Outcome.OOM,
        "the GPU's memory did not suffice",
        "lower --mem-fraction-static or max_model_len",
    ),
    _row(
        "flag-refused",
        r"error: (?P<text>unrecognized arguments: .{0,160}|ambiguous option: .{0,160}|argument --.{0,160})",
        Outcome.CONFIG_ERROR,
        "this release refused its command line: {text}",
        "compare the flags with this release's --help",
    ),
)

WRAPPERS: tuple[str, ...] = (
    "Received sigquit from a child process",
    "Rank 0 scheduler",
    "Initialization failed",
    "EOFError",
    "SystemExit",
)
