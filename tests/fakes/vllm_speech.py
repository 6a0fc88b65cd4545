"""vLLM's dialect of one release, from the rows: metrics page, answer, log lines, command line, speculative config."""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.fakes.rows import what, whats
from tests.fakes.script import Script, number, runner_up
from tests.fakes.vllm_rows import BODY, FLAGS, LOG, METRICS, RELEASES, SPEC

BOOLEAN = ["enable-prefix-caching", "enforce-eager", "trust-remote-code", "disable-log-stats", "enable-chunked-prefill"]
BOOLEAN += ["disable-log-requests", "enable-log-requests", "async-scheduling"]
PREFIXED = "0.10.2"
V0 = "V0"


def spoken(version: str) -> str:
    """The release whose rows hold for `version`; a script that names none speaks the newest."""
    return RELEASES[-1] if version == "0.0.0" else version


def metrics(release: str, model: str, sums: Counter[str], k: int) -> list[str]:
    """The V1 engine's lines: counters, their `_created` gauges, and the histogram whose count is that of decode steps."""
    labels = f'engine="0",model_name="{model}"'
    counters = {"tokens": "tokens"} | ({"steps": "steps", "proposed": "proposed", "accepted": "accepted"} if k else {})
    rows = [(what(METRICS, topic, release), labels, sums[key]) for topic, key in counters.items()]
    position = what(METRICS, "position", release)
    rows += [(position, f'{labels},position="{i}"', sums[f"at{i}"]) for i in range(k)]
    lines = [line for name, label, value in rows for line in counter(name, label, value)]
    for name in whats(METRICS, "decode", release):
        lines += histogram(name, labels, sums["decode"])
    return lines


def counter(name: str, labels: str, value: float) -> list[str]:
    return [f"# TYPE {name} counter", f"{name}_total{{{labels}}} {value:.1f}", f"{name}_created{{{labels}}} 1.79e+09"]


def histogram(name: str, labels: str, value: float) -> list[str]:
    shown = [f'{name}_bucket{{{labels},le="+Inf"}} {value:.1f}', f"{name}_sum{{{labels}}} {value / 100}"]
    return [f"# TYPE {name} histogram", *shown, f"{name}_count{{{labels}}} {value:.1f}"]


def own_block(release: str, histogram_: list[int]) -> dict[str, Any]:
    """A response's counters of its own request, under this release's keys; empty where it has none."""
    k, steps = len(histogram_) - 1, sum(histogram_)
    accepted = sum(j * n for j, n in enumerate(histogram_))
    values = {
        "mean_acceptance_length": 1 + accepted / steps if steps else 1.0,
        "draft_acceptance_rate": accepted / (steps * k) if steps else None,
        "acceptance_histogram": histogram_,
        "num_spec_steps": steps,
        "num_accepted_draft_tokens": accepted,
        "num_draft_tokens": steps * k,
        "num_spec_tokens": k,
    }
    return {name: values[name] for name in whats(BODY, "own", release)}


def logprobs_of(script: Script, tokens: list[str]) -> dict[str, Any]:
    own = -0.1
    tops = [{t: own, runner_up(t): own - script.gap, " omega": own - script.gap - 4} for t in tokens]
    return {"tokens": tokens, "token_logprobs": [own] * len(tokens), "top_logprobs": tops}


def chat_logprobs(found: dict[str, Any]) -> dict[str, Any]:
    """The same as the chat endpoint spells it: an object a token."""
    rows = zip(found["tokens"], found["token_logprobs"], found["top_logprobs"], strict=True)
    return {
        "content": [
            {"token": t, "logprob": p, "top_logprobs": [{"token": n, "logprob": q} for n, q in top.items()]}
            for t, p, top in rows
        ]
    }


def fingerprint(release: str) -> dict[str, str]:
    form = what(BODY, "fingerprint", release)
    return {"system_fingerprint": form % (release, f"{number(release):08x}"[:8])} if form else {}


def log_line(release: str, sums: Counter[str], k: int, seconds: float = 10.0) -> str:
    """The V1 engine's record of one logging window; empty where no draft was verified in it."""
    steps, proposed, accepted = sums["steps"], sums["proposed"], sums["accepted"]
    if not steps:
        return ""
    mean = float(what(LOG, "mean", release)) + accepted / steps
    rates = ", ".join(f"{sums[f'at{i}'] / steps:.3f}" for i in range(k))
    form, share = what(LOG, "line", release), 100 * accepted / proposed
    old = form.startswith("SpecDecoding metrics: Draft")
    speeds = (accepted / seconds, proposed / seconds)
    values = (share, mean, accepted, proposed, rates) if old else (mean, *speeds, accepted, proposed, rates, share)
    return info(release, "metrics.py:96", form % values)


def info(release: str, place: str, text: str) -> str:
    """One line of the log; from 0.10.2 on it names the process."""
    pid = f"(APIServer pid={os.getpid()}) " if what(LOG, "interval", release) != "10" else ""
    return f"{pid}INFO {time.strftime('%m-%d %H:%M:%S')} [{place}] {text}"


def started(release: str, engine: str, spec: Mapping[str, Any]) -> str:
    """The line that tells the resolved configuration."""
    method, model, num_spec_tokens = (spec.get(key) for key in ("method", "model", "num_speculative_tokens"))
    said = f"SpeculativeConfig({method=}, {model=}, {num_spec_tokens=})" if spec else None
    form = what(LOG, "v0-starts" if engine == V0 else "starts", release)
    return info(
        release, "core.py:58", form % (release, f"model='/m', speculative_config={said}, tokenizer='/m', seed=0")
    )


def serves(release: str, url: str) -> str:
    return f"{info(release, 'api_server.py:99', what(LOG, 'serves', release) % url)}\nINFO:     Application startup complete."


def parse(argv: list[str] | None, release: str) -> argparse.Namespace:
    """This release's command line: a flag that it does not have ends the process with status 2."""
    parser = argparse.ArgumentParser("api_server.py")
    for flag in whats(FLAGS, "flag", release):
        if flag.removeprefix("--") in BOOLEAN:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction)
        elif flag == "--speculative-config":
            parser.add_argument(flag, type=json.loads, default={})
        else:
            parser.add_argument(flag)
    return parser.parse_args(argv)


def settle(release: str, spec: Mapping[str, Any], env: Mapping[str, str]) -> tuple[str, str]:
    """The engine that serves (V0 or V1), and why it refuses to: a traceback's last line, empty where it does not."""
    v1 = env.get("VLLM_USE_V1") if whats(SPEC, "env", release) else None
    if not spec:
        return (V0 if v1 == "0" else "V1"), ""
    unknown = [name for name in spec if name not in whats(SPEC, "key", release)]
    complaint = what(SPEC, "unknown-key", release)
    if unknown and complaint:
        return "", complaint.format(unknown[0])
    engine = what(SPEC, f"method {spec.get('method')}", release)
    if engine not in (V0, "V1"):
        return "", engine or f"ValueError: Unsupported speculative method: '{spec.get('method')}'."
    if engine == V0 and v1 == "1":
        return "", what(SPEC, "v1-refused", release).format(feature_name="Speculative Decoding")
    falls_back = v1 == "0" or (v1 is None and whats(SPEC, "asks-for-v1", release))
    return (V0 if falls_back else engine), ""
