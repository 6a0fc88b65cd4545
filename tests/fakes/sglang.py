"""A scripted engine that speaks SGLang's native dialect, release by release: tests only, standard library only.

What each release says is written down here a second time, apart from the table under test. As a process it takes the
place of `sglang.launch_server`: `python -m tests.fakes.sglang --model-path ... --port 8001`, scripted as `engine` is.
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.rows import what, whats
from tests.fakes.script import Crowd, Script, aged, load_script, runner_up, shown, simulate, template, tokens_of, walk
from tests.fakes.sglang_rows import META, METRICS, PAGES, RELEASES
from tests.fakes.sglang_speech import decode_lines, meta_info, parse, ready, settings, settle, since

__all__ = ["RELEASES", "FakeSglang", "meta_info", "parse", "settle", "since"]

PLACEHOLDER = "<|image_pad|>"
"""Where an image stands in a prompt of the Qwen family."""


class FakeSglang:
    """The server and what it counts. `args` are its resolved settings; without an algorithm it is a baseline."""

    def __init__(
        self, release: str, script: Script | None = None, *, name: str = "tiny", port: int = 0, **args: Any
    ) -> None:
        self.release, self.script, self.name = release, script or Script(), name
        self.args = {"speculative_algorithm": None} | args
        if not self.args["speculative_algorithm"]:
            self.script.acceptance = []
        self.lookup = self.args["speculative_algorithm"] == "NGRAM"
        self.sums: Counter[str] = Counter()
        self.requests: list[dict[str, Any]] = []
        self.lock, self.crowd = threading.Lock(), Crowd(self.script)
        self.on_death = lambda: os._exit(self.script.exit_code)
        fake = self

        class Bound(_Handler):
            engine = fake

        self.http = ThreadingHTTPServer((str(args.get("host") or "127.0.0.1"), port), Bound)
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
        asked = {"return_logprob": body.get("logprobs", False), "return_text_in_logprobs": True}
        answer = self.generate({"text": template(body), "sampling_params": params, **asked})
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": answer["text"]}}
        if body.get("return_meta_info") and what(META, "chat-meta", self.release):
            choice["meta_info"] = answer["meta_info"]
        if body.get("logprobs"):
            choice["logprobs"] = chat_logprobs(answer["meta_info"])
        return {"choices": [choice], "usage": {"completion_tokens": body["max_tokens"]}}

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        script, params = aged(self.script, len(self.requests)), body["sampling_params"]
        count, prompt = params["max_new_tokens"], self.seen(body)
        time.sleep(script.token_s * count)
        sums, histogram = simulate(script, prompt, count)
        with self.lock:
            self.sums.update(sums)
        self.log(prompt, count)
        tokens = tokens_of(script, prompt, count)
        meta: dict[str, Any] = {"prompt_tokens": 5, "completion_tokens": count, "finish_reason": {"type": "length"}}
        if script.acceptance and script.mode != "no-counters":
            meta |= meta_info(self.release, sums, histogram, count, lookup=self.lookup)
        if body.get("return_logprob"):
            meta |= logprobs_of(script, tokens, text=body.get("return_text_in_logprobs", False))
        return {"text": "".join(tokens), "meta_info": meta}

    def seen(self, body: dict[str, Any]) -> str:
        """The prompt as the model sees it; an image without a place in the text is refused, as the processors do."""
        text, image = body["text"], body.get("image_data")
        if image and text.count(PLACEHOLDER) != 1:
            raise ValueError(f"one image, {text.count(PLACEHOLDER)} places for it: {text[:200]}")
        return text.replace(PLACEHOLDER, shown(image)) if image else text

    def metrics(self) -> str:
        labels = f'{{model_name="{self.name}"}}'
        counts = self.script.acceptance and self.script.mode != "no-counters"
        with self.lock:
            steps = self.sums["decode"] if self.lookup else self.sums["steps"]
            values = {"tokens": self.sums["tokens"]} | ({"gauge": 9.9, "verify": steps} if counts else {})
        lines = [
            f"{n}{labels} {value:.1f}" for topic, value in values.items() for n in whats(METRICS, topic, self.release)
        ]
        return "\n".join([*lines, ""])

    def log(self, prompt: str, count: int) -> None:
        """What the log says of one request, where an interval was asked for."""
        interval, k = self.args.get("decode_log_interval"), len(self.script.acceptance)
        if interval and k:
            steps = list(walk(self.script, prompt, count))
            print("\n".join(decode_lines(self.release, steps, k, interval)), flush=True)

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
        }
        pages |= {path: lambda: json.dumps(engine.info()) for path in whats(PAGES, "info", engine.release)}
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
        with self.engine.crowd as crowded:
            self.engine.on_death() if crowded else self.answer(body)

    def answer(self, body: dict[str, Any]) -> None:
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


def chat_logprobs(meta: dict[str, Any]) -> dict[str, Any]:
    """The same as the chat endpoint spells it: an object a token."""
    rows = zip(meta["output_token_logprobs"], meta["output_top_logprobs"], strict=True)
    return {
        "content": [
            {"token": t, "logprob": p, "top_logprobs": [{"token": e[2], "logprob": e[0]} for e in top]}
            for (p, _, t), top in rows
        ]
    }


def logprobs_of(script: Script, tokens: list[str], *, text: bool) -> dict[str, Any]:
    own = -0.1

    def entry(token: str, logprob: float) -> list[Any]:
        return [logprob, len(token), token if text else None]

    tops = [[entry(t, own), entry(runner_up(t), own - script.gap)] for t in tokens]
    return {"output_token_logprobs": [entry(t, own) for t in tokens], "output_top_logprobs": tops}


def main(argv: list[str] | None = None) -> int:
    release = os.environ.get("FAKE_ENGINE_VERSION") or load_script("none", None).version
    args = parse(argv, release)
    settle(args)
    method = (args.speculative_algorithm or "none").lower()
    script = load_script(method, (args.speculative_num_draft_tokens or 1) - 1 or None)
    print(settings(release, vars(args)), flush=True)
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
    print(ready(release), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        engine.http.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
