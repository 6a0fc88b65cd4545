"""A scripted engine that speaks SGLang's native dialect, release by release: tests only, standard library only.

What each release says is written down here a second time, apart from the table under test. As a process it takes the
place of `sglang.launch_server`: `python -m tests.fakes.sglang --model-path ... --port 8001`, scripted as `engine` is.
"""

import argparse
import contextlib
import json
import os
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.engine import Script, load_script, runner_up, simulate, template, tokens_of

RELEASES = [
    "0.4.6.post5",
    "0.4.8",
    "0.4.10.post2",
    "0.5.1",
    "0.5.2",
    "0.5.3",
    "0.5.3.post1",
    "0.5.3.post3",
    "0.5.4",
    "0.5.4.post3",
    "0.5.5",
    "0.5.5.post2",
    "0.5.5.post3",
    "0.5.6",
    "0.5.7",
    "0.5.8",
    "0.5.9",
    "0.5.10",
    "0.5.11",
    "0.5.12",
    "0.5.13",
    "0.5.15.post1",
    "0.5.18",
    "0.5.20",
    "0.5.22",
    "0.5.23",
]
CHOICES = {"EAGLE": "0.4.6.post5", "EAGLE3": "0.4.6.post5", "NEXTN": "0.4.6.post5", "STANDALONE": "0.5.2"}
CHOICES |= {"NGRAM": "0.5.3", "DFLASH": "0.5.11", "FROZEN_KV_MTP": "0.5.12", "DSPARK": "0.5.18", "UNO": "0.5.20"}


def since(release: str, other: str) -> bool:
    """True when `release` is `other` or a later one; what is not listed is newer than all."""
    order = {name: i for i, name in enumerate(RELEASES)}
    return order.get(release, len(RELEASES)) >= order[other]


def between(release: str, first: str, last: str) -> bool:
    return since(release, first) and (release == last or not since(release, last))


def meta_info(
    release: str, sums: Counter[str], histogram: list[int], tokens: int, *, uno: bool = False
) -> dict[str, Any]:
    """`meta_info` of one finished request: counters under this release's names, the mean with its prefill token."""
    steps = sums["steps"]
    meta: dict[str, Any] = {
        "prompt_tokens": 5,
        "completion_tokens": tokens,
        "cached_tokens": 0,
        "spec_verify_ct": steps,
    }
    if since(release, "0.5.3.post3"):
        meta |= {"spec_accept_rate": 0.5, "spec_accept_length": tokens / steps if steps else 0.0}
    rows = Counter({j: n for j, n in enumerate(histogram) if n})
    table = [rows[j] for j in range(max(rows, default=0) + 1)]
    if between(release, "0.5.5.post3", "0.5.10"):
        meta |= {"spec_accept_token_num": sums["accepted"], "spec_draft_token_num": sums["proposed"]}
    if between(release, "0.5.9", "0.5.20"):
        meta |= {"spec_accept_histogram": table}
    if between(release, "0.5.11", "0.5.20"):
        meta |= {"spec_accepted_drafts": sums["accepted"], "spec_proposed_drafts": sums["proposed"]}
    if since(release, "0.5.12"):
        meta |= {"spec_num_correct_drafts": sums["accepted"], "spec_num_proposed_drafts": sums["proposed"]}
        meta |= {"spec_correct_drafts_histogram": table}
    return meta


class FakeSglang:
    """The server and what it counts. `args` are its resolved settings; without an algorithm it is a baseline."""

    def __init__(
        self, release: str, script: Script | None = None, *, name: str = "tiny", port: int = 0, **args: Any
    ) -> None:
        self.release, self.script, self.name = release, script or Script(), name
        self.args = {"speculative_algorithm": None} | args
        if not self.args["speculative_algorithm"]:
            self.script.acceptance = []
        self.sums: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        fake = self

        class Bound(_Handler):
            engine = fake

        self.http = ThreadingHTTPServer(("127.0.0.1", port), Bound)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"

    def __enter__(self) -> "FakeSglang":
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()

    def chat(self, body: dict[str, Any]) -> dict[str, Any]:
        """The chat endpoint: `meta_info` is there from 0.5.13 on, where it is asked for."""
        params = {"max_new_tokens": body["max_tokens"]}
        answer = self.generate({"text": template(body), "sampling_params": params})
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": answer["text"]}}
        if body.get("return_meta_info") and since(self.release, "0.5.13"):
            choice["meta_info"] = answer["meta_info"]
        return {"choices": [choice], "usage": {"completion_tokens": body["max_tokens"]}}

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        script, params = self.script, body["sampling_params"]
        count = params["max_new_tokens"]
        time.sleep(script.token_s * count)
        sums, histogram = simulate(script, body["text"], count)
        with self.lock:
            self.sums.update(sums)
        tokens = tokens_of(script, body["text"], count)
        meta: dict[str, Any] = {"prompt_tokens": 5, "completion_tokens": count, "finish_reason": {"type": "length"}}
        if script.acceptance and script.mode != "no-counters":
            meta |= meta_info(self.release, sums, histogram, count)
        if body.get("return_logprob"):
            meta |= logprobs_of(script, tokens, text=body.get("return_text_in_logprobs", False))
        return {"text": "".join(tokens), "meta_info": meta}

    def metrics(self) -> str:
        with self.lock:
            lines = [f'sglang:generation_tokens_total{{model_name="{self.name}"}} {self.sums["tokens"]}.0']
            counts = self.script.acceptance and self.script.mode != "no-counters"
            if counts and since(self.release, "0.5.13"):
                lines += [f'sglang:spec_verify_calls_total{{model_name="{self.name}"}} {self.sums["steps"]}.0']
        return "\n".join([*lines, ""])

    def info(self) -> dict[str, Any]:
        secret = {"api_key": "sk-very-secret"}
        return {**self.args, **secret, "version": self.release, "internal_states": [{"avg_spec_accept_length": 9.9}]}


class _Handler(BaseHTTPRequestHandler):
    engine: FakeSglang

    def closed(self) -> bool:
        key = self.engine.script.key
        if not key or self.path == "/metrics" or self.headers["Authorization"] == f"Bearer {key}":
            return False
        self.send('{"error": "Unauthorized"}', 401)
        return True

    def do_GET(self) -> None:
        if self.closed():
            return
        engine = self.engine
        pages = {
            "/v1/models": lambda: json.dumps({"object": "list", "data": [{"id": engine.name, "owned_by": "sglang"}]}),
            "/server_info" if since(engine.release, "0.5.6") else "/get_server_info": lambda: json.dumps(engine.info()),
        }
        if engine.args.get("enable_metrics"):
            pages["/metrics"] = engine.metrics
        page = pages.get(self.path)
        self.send(page() if page else '{"detail":"Not Found"}', 200 if page else 404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.engine.lock:
            self.engine.requests.append(body)
        if self.closed():
            return
        if self.path == "/v1/chat/completions":
            self.send(json.dumps(self.engine.chat(body)))
        elif self.path != "/generate":
            self.send('{"detail":"Not Found"}', 404)
        elif self.engine.script.mode == "wrong-shape":
            self.send('{"meta_info": []}')
        else:
            self.send(json.dumps(self.engine.generate(body)))

    def send(self, body: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args: object) -> None:
        pass


def logprobs_of(script: Script, tokens: list[str], *, text: bool) -> dict[str, Any]:
    own = -0.1

    def entry(token: str, logprob: float) -> list[Any]:
        return [logprob, len(token), token if text else None]

    tops = [[entry(t, own), entry(runner_up(t), own - script.gap)] for t in tokens]
    return {"output_token_logprobs": [entry(t, own) for t in tokens], "output_top_logprobs": tops}


def parse(argv: list[str] | None, release: str) -> argparse.Namespace:
    """This release's command line: unknown algorithms and retired flags end the process with status 2."""
    parser = argparse.ArgumentParser("launch_server.py")
    for flag in ("--model-path", "--served-model-name", "--host", "--speculative-draft-model-path", "--dtype"):
        parser.add_argument(flag)
    for flag in ("--port", "--random-seed", "--decode-log-interval", "--context-length", "--tp-size"):
        parser.add_argument(flag, type=int)
    for flag in ("num-steps", "eagle-topk", "num-draft-tokens"):
        parser.add_argument(f"--speculative-{flag}", type=int)
    for flag in ("--disable-radix-cache", "--enable-metrics"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--speculative-algorithm", choices=[a for a, first in CHOICES.items() if since(release, first)])
    names = ["--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill"] if since(release, "0.5.20") else []
    for flag in names or ["--cuda-graph-max-bs"]:
        parser.add_argument(flag, type=int)
    if since(release, "0.5.2"):
        parser.add_argument("--speculative-draft-model-revision")
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
        print("speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when speculative_eagle_topk == 1")
        args.speculative_num_draft_tokens = sizes[0] + 1


def main(argv: list[str] | None = None) -> int:
    release = os.environ.get("FAKE_ENGINE_VERSION") or load_script("none", None).version
    args = parse(argv, release)
    settle(args)
    method = (args.speculative_algorithm or "none").lower()
    script = load_script(method, (args.speculative_num_draft_tokens or 1) - 1 or None)
    said = ", ".join(f"{name}={value!r}" for name, value in vars(args).items())
    print(f"[2026-01-01 00:00:00] server_args=ServerArgs({said})", flush=True)
    if script.mode == "crash":
        print(script.log, flush=True)
        return script.exit_code
    engine = FakeSglang(
        release,
        script,
        name=args.served_model_name,
        **{k: v for k, v in vars(args).items() if k != "port"},
        port=args.port,
    )
    print("The server is fired up and ready to roll!", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        engine.http.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
