"""SGLang's dialect of one release, from the rows: `meta_info`, log lines, settings, command line."""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.fakes.rows import key, what, whats
from tests.fakes.sglang_rows import ALGORITHMS, FLAGS, LOG, META

SWITCHES = ["disable-radix-cache", "enable-metrics", "disable-cuda-graph", "disable-overlap-schedule"]
SWITCHES += ["trust-remote-code", "enable-multimodal", "skip-server-warmup"]
WORDS = ["model-path", "served-model-name", "host", "dtype", "attention-backend", "api-key", "mem-fraction-static"]
WORDS += ["speculative-draft-model-path", "speculative-draft-model-revision", "speculative-token-map"]
_TIME = "[2026-01-01 00:00:00]"


def since(release: str, other: str) -> bool:
    """True when `release` is `other` or a later one."""
    return key(release) >= key(other)


def meta_info(
    release: str, sums: Counter[str], histogram: list[int], tokens: int, *, lookup: bool = False
) -> dict[str, Any]:
    """`meta_info` of one finished request: counters under this release's names, the mean with its prefill token.

    With `lookup` (n-gram) a step that finds no draft is a verify step that accepts none, and the engine's own mean reads
    0 up to 0.5.5.post3.
    """
    steps = sums["decode"] if lookup else sums["steps"]
    rows = Counter({j: n for j, n in enumerate(histogram) if n})
    rows[0] += steps - sums["steps"]
    reads_zero = lookup and not since(release, "0.5.6")
    values = {
        "steps": steps,
        "rate": 0.5,
        "mean": tokens / steps if steps and not reads_zero else 0.0,
        "accepted": sums["accepted"],
        "proposed": sums["proposed"],
        "histogram": [rows[j] for j in range(max(+rows, default=0) + 1)],
    }
    found = {name: value for topic, value in values.items() for name in whats(META, f"meta-{topic}", release)}
    return {"prompt_tokens": 5, "completion_tokens": tokens, "cached_tokens": 0} | found


def decode_lines(release: str, accepted: Sequence[int | None], k: int, interval: int = 1) -> list[str]:
    """The log's lines of one request alone on the server, each over `interval` decode steps.

    Up to 0.5.3.post1 the request's prefill counts as a step of one token.
    """
    steps = ([0] if what(LOG, "prefills-counted", release) else []) + [n or 0 for n in accepted]
    windows = [steps[i : i + interval] for i in range(0, len(steps) - interval + 1, interval)]
    return [_decode_line(release, 1 + sum(w) / len(w), sum(w) / (len(w) * k)) for w in windows]


def _decode_line(release: str, length: float, rate: float) -> str:
    head, middle = what(LOG, "head", release).format(1), what(LOG, "length", release).format(length, rate)
    tail = "cuda graph: False, gen throughput (token/s): 63.20, #queue-req: 0"
    return f"{_TIME} {head}#token: 30, token usage: 0.00, {middle}{tail}"


def settings(release: str, args: dict[str, Any]) -> str:
    """The log's record of all settings: an object's text, from 0.5.20 on a dictionary's."""
    form = what(LOG, "settings", release)
    pair = "{}={!r}" if "ServerArgs" in form else "'{}': {!r}"
    return f"{_TIME} {form.format(', '.join(pair.format(name, value) for name, value in args.items()))}"


def ready(release: str) -> str:
    return f"{_TIME} {what(LOG, 'ready', release)}"


def parse(argv: list[str] | None, release: str) -> argparse.Namespace:
    """This release's command line: unknown algorithms and retired flags end the process with status 2."""
    parser = argparse.ArgumentParser("launch_server.py")
    for flag in whats(FLAGS, "flag", release):
        name = flag.removeprefix("--")
        if name in SWITCHES:
            parser.add_argument(flag, action="store_true")
        elif name == "speculative-algorithm":
            parser.add_argument(flag, choices=whats(ALGORITHMS, "algorithm", release))
        else:
            parser.add_argument(flag, type=str if name in WORDS else int)
    return parser.parse_args(argv)


def settle(args: argparse.Namespace) -> None:
    """What every release makes of the three sizes."""
    sizes = (args.speculative_num_steps, args.speculative_eagle_topk, args.speculative_num_draft_tokens)
    if args.speculative_algorithm in (None, "NGRAM"):
        return
    if None in sizes:
        raise AssertionError(
            "speculative_num_steps, speculative_eagle_topk and speculative_num_draft_tokens belong together"
        )
    if sizes[1] == 1 and sizes[2] != sizes[0] + 1:
        print(what(LOG, "adjusted", "0.5.23"))
        args.speculative_num_draft_tokens = sizes[0] + 1
