"""`matrix classify` against `grep -cE` over the same 100 MB of log: the ratio of times, and the memory it took.

Both run as processes, so the interpreter's start counts. Logs: decode lines and vLLM's windows, among requests and
alone, a text that repeats itself, lines that differ in hexadecimal numbers only, prose, base64, random bytes, and lines
of 64 KiB.
"""

import base64
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from matrix.engines.hot import STEMS

SIZE = 100 * 2**20
SIMPLE = "accept(ance)? len(gth)?|Error|Traceback"
WORDS = "|".join(word.decode().translate({ord(c): f"[{c}]" for c in "().|"}) for word in STEMS)
"""What classify itself looks for first: the grep that a person would need for the same question."""
ROUNDS = 3


def main() -> None:
    """Print a line a log: seconds of both, their ratio, and classify's peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        for name, line in _LOGS.items():
            path = Path(folder) / f"{name}.log"
            _fill(path, line)
            ours, peak = _best(sys.executable, "-m", "matrix", "classify", str(path), "--json")
            print(f"{name}: classify {ours:.2f} s, peak {peak:.0f} MiB", flush=True)
            for kind, pattern in (("three words", SIMPLE), ("all its words", WORDS)):
                grep, _ = _best("grep", "-cE", pattern, str(path))
                print(f"  grep -cE of {kind}: {grep:.2f} s, ratio {ours / grep:.1f}", flush=True)
            path.unlink()


def _best(*command: str) -> tuple[float, float]:
    """Shortest wall time of three runs in seconds, and the peak memory in MiB."""
    best, peak = float("inf"), 0.0
    for _ in range(ROUNDS):
        start = time.monotonic()
        with tempfile.TemporaryFile() as out:  # grep stops at its first match when it writes to the null device
            process = subprocess.Popen(command, stdout=out)
            while process.poll() is None:
                peak = max(peak, _memory(process.pid))
                time.sleep(0.005)
        best = min(best, time.monotonic() - start)
    return best, peak


def _memory(pid: int) -> float:
    """The process's own high-water mark in MiB; 0 once it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)


def _fill(path: Path, line: Callable[[random.Random], str]) -> None:
    rng, size = random.Random(7), 0  # noqa: S311 - a log, not a secret
    with path.open("w", encoding="latin-1") as file:
        while size < SIZE:
            size += file.write("".join(line(rng) for _ in range(2000)))


_CLOCK = "2026-03-04 {h:02}:{m:02}:{s:02}"
_ACCESS = "[" + _CLOCK + '] INFO:     10.0.0.{h}:{port} - "POST /generate HTTP/1.1" 200 OK\n'
_DECODE = (
    "[" + _CLOCK + "] Decode batch, #running-req: {h}, #token: {port}, token usage: 0.{m}, accept len: {length:.2f}, "
    "accept rate: 0.{s}, cuda graph: True, gen throughput (token/s): {port}.{m}, #queue-req: 0\n"
)
_WINDOW = (
    "(APIServer pid=7) INFO 03-04 {h:02}:{m:02}:{s:02} [metrics.py:101] SpecDecoding metrics: Mean acceptance length: "
    "{length:.2f}, Accepted throughput: {m}.{s} tokens/s, Drafted throughput: {s}.{m} tokens/s, "
    "Accepted: {accepted} tokens, Drafted: {drafted} tokens, "
    "Per-position acceptance rate: {rate:.3f}, {rate:.3f}, {rate:.3f}, Avg Draft acceptance rate: {percent:.1f}%\n"
)


def _numbers(rng: random.Random) -> dict[str, float]:
    drafts, rate = rng.randint(100, 900), rng.random()
    numbers = {
        "h": rng.randint(1, 23),
        "m": rng.randint(10, 59),
        "s": rng.randint(10, 59),
        "port": rng.randint(1, 60000),
    }
    accepted = round(3 * rate * drafts)
    return numbers | {
        "length": 1 + accepted / drafts,
        "rate": accepted / drafts / 3,
        "percent": accepted / drafts / 0.03,
        "accepted": accepted,
        "drafted": 3 * drafts,
    }


def _lines(*templates: str) -> Callable[[random.Random], str]:
    return lambda rng: rng.choice(templates).format(**_numbers(rng))


_BLOCK = (
    _DECODE.format(**_numbers(random.Random(1)))  # noqa: S311 - a log, not a secret
    + "Acceptance length:                       2.83      \n"
    + 'Traceback (most recent call last):\n  File "/a.py", line 3, in load_model\nRuntimeError: CUDA out of memory\n'
)


def _repeated(_: random.Random) -> str:
    return _BLOCK


def _junk(rng: random.Random) -> str:
    return rng.randbytes(512).decode("latin-1")


def _unlike(rng: random.Random) -> str:
    words = " ".join(f"{rng.getrandbits(40):x}" for _ in range(9))
    return f"(EngineCore pid=7) INFO 03-04 05:06:07 [core.py:12] request {words}\n"


_LETTERS = "etaoinshrdlu" * 4 + "cmfwypvbgkjqxz"


def _prose(rng: random.Random) -> str:
    return " ".join("".join(rng.choices(_LETTERS, k=rng.randint(2, 9))) for _ in range(18)) + "\n"


def _base64(rng: random.Random) -> str:
    return base64.b64encode(rng.randbytes(57)).decode() + "\n"


def _long(rng: random.Random) -> str:
    return _prose(rng).strip() * 560 + "\n" if rng.random() < _LONG_SHARE else ""


_LONG_SHARE = 0.01
_LOGS = {
    "sglang": _lines(_ACCESS, _DECODE),
    "decode lines": _lines(_DECODE),
    "vllm": _lines(_ACCESS, _WINDOW),
    "windows": _lines(_WINDOW),
    "repeated": _repeated,
    "unlike": _unlike,
    "prose": _prose,
    "base64": _base64,
    "random bytes": _junk,
    "long lines": _long,
}
