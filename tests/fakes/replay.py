"""A server that gives recorded answers: a list of {path, request, status, body} in the order they were given."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMPLETIONS, METRICS, GENERATE = "/v1/completions", "/metrics", "/generate"


class Replay:
    """Completions come in their order whatever is asked; a scrape gives what stood after the latest of them."""

    def __init__(self, conversation: list[dict[str, Any]]) -> None:
        self.fixed = {e["path"]: e for e in conversation if e["path"] not in (COMPLETIONS, METRICS)}
        self.completions = [e for e in conversation if e["path"] == COMPLETIONS]
        self.scrapes: list[dict[str, Any]] = []
        for entry in conversation:
            if entry["path"] == METRICS and len(self.scrapes) <= len(self.completions):
                self.scrapes.append(entry)
        self.given = 0
        replay = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                entry = replay.scrapes[replay.given] if self.path == METRICS else replay.fixed.get(self.path)
                self.reply(entry or {"status": 404, "body": ""})

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                replay.given += 1
                self.reply(replay.completions[replay.given - 1])

            def reply(self, entry: dict[str, Any]) -> None:
                self.send_response(entry["status"])
                self.end_headers()
                self.wfile.write(entry["body"].encode())

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"

    def __enter__(self) -> "Replay":
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.shutdown()
        self.http.server_close()


class ReplayGenerate(Replay):
    """SGLang's own endpoint instead: generations in their order, and no metrics page that follows them."""

    def __init__(self, conversation: list[dict[str, Any]]) -> None:
        renamed = [e | {"path": COMPLETIONS} if e["path"] == GENERATE else e for e in conversation]
        super().__init__([e for e in renamed if e["path"] != METRICS])
        self.scrapes = [{"status": 404, "body": ""}] * (len(self.completions) + 1)
