"""A scripted engine that speaks vLLM's HTTP dialect: tests only, standard library only, so a wheel can carry it.

In a test: `with FakeEngine(Script(mode="hang")) as engine: ... engine.url`. As a process: `python -m tests.fakes.engine
--port 8001 --served-model-name tiny --speculative-config '{"method": "eagle3", ...}'` with the script's fields as JSON in
FAKE_ENGINE_SCRIPT; there `by_method` and `by_version` may hold fields for one method (`none` is the baseline) or version.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes import vllm_speech as speech
from tests.fakes.rows import what
from tests.fakes.script import Crowd, Script, aged, load_script, simulate, template, tokens_of
from tests.fakes.vllm_rows import BODY, LOG
from tests.fakes.vllm_v0 import V0Stats

__all__ = ["FakeEngine", "Script", "simulate"]


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
        v0: bool = False,
    ) -> None:
        self.script = script or Script()
        self.release = speech.spoken(self.script.version)
        if not spec:
            self.script.acceptance = []
        k = len(self.script.acceptance)
        self.v0 = V0Stats(self.release, name, k, self.script.v0_interval_s) if v0 else None
        self.name, self.served, self.ended = name, 0, None
        self.sums: Counter[str] = Counter()
        self.lock, self.stopped, self.crowd = threading.Lock(), threading.Event(), Crowd(self.script)
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
            sums, k = Counter(self.sums), len(self.script.acceptance)
            lines = self.v0.metrics(sums) if self.v0 else speech.metrics(self.release, self.name, sums, k)
        if self.script.mode == "bad-metrics":
            lines = [line if line.startswith("#") else line.rpartition(" ")[0] + " NaN" for line in lines]
            lines += ["{{{", "vllm:spec_decode_num_drafts_total{"]
        return "\n".join([*lines, ""])

    def log_windows(self, interval_s: float) -> None:
        """Print a record of each window in which a draft was verified, until the engine stops."""
        before: Counter[str] = Counter()
        while not self.stopped.wait(interval_s):
            with self.lock:
                sums = Counter(self.sums)
            line = speech.log_line(self.release, sums - before, len(self.script.acceptance), interval_s)
            if line:
                print(line, flush=True)
            before = sums


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
        with fake.crowd as crowded:
            self.spoil_dies(body) if crowded else self.answer(body, spoiled)

    def answer(self, body: dict[str, Any], spoiled: bool) -> None:
        fake = self.fake
        spoil = getattr(self, "spoil_" + fake.script.mode.replace("-", "_"), None)
        if body.get("model") != fake.name:
            self.send(b'{"error": "no such model"}', 404)
        elif spoiled and spoil:
            spoil(body)
        else:
            self.send_json(self.complete(body, body["max_tokens"]))

    def complete(self, body: dict[str, Any], count: int) -> dict[str, Any]:
        """Generate, count, and return the answer."""
        fake, script = self.fake, aged(self.fake.script, self.fake.served)
        time.sleep(script.token_s * count)
        prompt = body["prompt"] if "prompt" in body else template(body)
        sums, histogram = simulate(script, prompt, count)
        if fake.v0:
            with fake.lock:
                fake.v0.step(fake.sums)
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
            found = speech.logprobs_of(script, tokens)
            choice["logprobs"] = speech.chat_logprobs(found) if "messages" in body else found
        answer = {"object": "text_completion", "choices": [choice], "usage": {"completion_tokens": count}}
        own = script.per_request and script.acceptance and what(BODY, "own-block", fake.release)
        if own:
            answer["metrics"] = {own: speech.own_block(fake.release, histogram)}
        return answer | speech.fingerprint(fake.release)

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


def main(argv: list[str] | None = None) -> int:
    release = speech.spoken(load_script("none", None).version)
    args = speech.parse(argv, release)
    spec = args.speculative_config
    script = load_script(spec.get("method", "none"), spec.get("num_speculative_tokens"))
    wanted = getattr(args, "per_request_spec_decode_metrics", None) not in (None, "none")
    script.per_request = script.per_request and wanted
    engine, refusal = speech.settle(release, spec, os.environ)
    if wanted and not spec:
        refusal = f"ValueError: {what(BODY, 'own-refused', release)}"
    if not refusal:
        print(speech.started(release, engine, spec), flush=True)
    time.sleep(script.load_s)
    if refusal or script.mode == "crash":
        print(f"Traceback (most recent call last):\n{refusal}" if refusal else script.log, flush=True)
        return 1 if refusal else script.exit_code
    script.load_s = 0
    return _serve(script, engine, args)


def _serve(script: Script, engine: str, args: Any) -> int:
    name, host, port = args.served_model_name or "tiny", args.host or "127.0.0.1", int(args.port or 0)
    spec = bool(args.speculative_config)
    fake = FakeEngine(script, name=name, spec=spec, host=host, port=port, v0=engine == speech.V0)
    fake.on_death = lambda: os._exit(script.exit_code)
    if not fake.v0:
        threading.Thread(target=fake.log_windows, args=(_interval_s(fake.release),), daemon=True).start()
    print(speech.serves(fake.release, fake.url), flush=True)
    try:
        fake.http.serve_forever()
    except KeyboardInterrupt:
        print("INFO Shutting down", flush=True)
    return 0


def _interval_s(release: str) -> float:
    """Some releases have it written in, the others let the environment say it."""
    said = what(LOG, "interval", release)
    return float(os.environ.get(said) or 10) if said[0] == "V" else float(said)


if __name__ == "__main__":
    sys.exit(main())
