"""A package index on loopback over a folder of wheels, with upload dates where it is given some."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_JSON = "application/vnd.pypi.simple.v1+json"


@contextmanager
def simple_index(folder: Path, dates: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of an index of the wheels in `folder`; `dates` gives each file name's upload time (RFC 3339)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rstrip("/").rpartition("/")[2]
            if name.endswith(".whl"):
                self._send("application/octet-stream", (folder / name).read_bytes())
                return
            found = [w.name for w in sorted(folder.glob("*.whl")) if w.name.split("-")[0] == name.replace("-", "_")]
            if not found:
                self.send_error(404)
                return
            files = [{"filename": w, "url": f"/files/{w}", "hashes": {}} | _date(w) for w in found]
            body = {"meta": {"api-version": "1.1"}, "name": name, "files": files, "versions": []}
            self._send(_JSON, json.dumps(body).encode())

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the name that the server calls

        def log_message(self, *args: object) -> None:
            """Quiet."""

    def _date(name: str) -> dict[str, str]:
        return {"upload-time": dates[name]} if dates else {}

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        server.server_close()
