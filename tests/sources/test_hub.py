"""Staging from a model hub: a small server that answers as a hub does, and the real client library."""

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from matrix.sources.hub_progress import TELL_S, told_by

ROOT = Path(__file__).parents[2]
COMMIT = "a" * 40
FILES = {"config.json": b"{}", "model.safetensors": b"weights", "original/consolidated.pth": b"twice the same"}
TOKEN = "hf_hunter2"


class Hub(BaseHTTPRequestHandler):
    """Knows `lab/tiny` on branch main, `lab/gated` for nobody, and fails for `lab/sick`."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        path = unquote(self.path).partition("?")[0]
        type(self).asked.append(f"{path} {self.headers.get('Authorization', '')}")
        if "lab/gated" in path:
            self.reply(403, {"X-Error-Code": "GatedRepo"}, b"{}")
        elif "lab/sick" in path:
            self.reply(500, {}, f"trouble with {TOKEN}".encode())
        elif "lab/tiny" not in path:
            self.reply(401, {"X-Error-Code": "RepoNotFound"}, b"{}")
        elif path.startswith("/api/models/lab/tiny"):
            self.model(path)
        else:
            content = FILES[path.partition(f"/resolve/{COMMIT}/")[2]]
            tag = hashlib.sha256(content).hexdigest()
            self.reply(200, {"X-Repo-Commit": COMMIT, "ETag": f'"{tag}"'}, content, body=body)

    def model(self, path: str) -> None:
        revision = path.partition("/revision/")[2] or "main"
        if revision not in ("main", COMMIT):
            self.reply(404, {"X-Error-Code": "RevisionNotFound"}, b"{}")
        elif "/tree/" in path:
            tree = [{"type": "file", "path": name, "size": len(body), "oid": "b" * 40} for name, body in FILES.items()]
            self.reply(200, {}, json.dumps(tree).encode())
        else:
            siblings = [{"rfilename": name} for name in FILES]
            info = {"id": "lab/tiny", "modelId": "lab/tiny", "sha": COMMIT, "siblings": siblings, "private": False}
            self.reply(200, {}, json.dumps(info).encode())

    def reply(self, status: int, headers: dict[str, str], content: bytes, *, body: bool = True) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def stage(call: str, endpoint: str, home: Path, *, function: str = "stage", **environ: str) -> str:
    """What `stage(...)` (or another function of the module) returns or raises, in a fresh process: the library reads its environment when imported."""
    code = f"""
from matrix.core.errors import MatrixError
from matrix.sources.hub import {function}
try:
    print(*{function}({call}))
except MatrixError as exc:
    print(type(exc).__name__, exc)
"""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("HF_") and "proxy" not in k.lower()}
    env = {**kept, "HF_ENDPOINT": endpoint, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1", **environ}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert TOKEN not in done.stdout + done.stderr
    return done.stdout.strip()


def test_snapshot_is_fetched_once_pinned_and_then_works_offline(hub: str, tmp_path: Path) -> None:
    folder, commit = stage("'lab/tiny', 'main'", hub, tmp_path, HF_TOKEN=TOKEN).rsplit(" ", 1)
    assert commit == COMMIT
    assert (Path(folder) / "model.safetensors").read_bytes() == b"weights"
    assert not (Path(folder) / "original").exists(), "the second copy of the weights was fetched"
    assert any(TOKEN in line for line in Hub.asked), "the user's token was not used"
    asked = len(Hub.asked)
    assert stage("'lab/tiny', 'main'", hub, tmp_path, HF_HUB_OFFLINE="1") == f"{folder} {commit}"
    assert len(Hub.asked) == asked


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        ("'lab/tiny', 'v9'", "ConfigError", "the hub has no model lab/tiny at revision v9"),
        ("'lab/none'", "ConfigError", "HF_TOKEN"),
        ("'lab/gated'", "ConfigError", "gated"),
        ("'lab/sick'", "InfraError", "500"),
        ("'a/b/c'", "ConfigError", "owner/name"),
    ],
)
def test_refusals_name_the_model_and_the_next_step(hub: str, tmp_path: Path, call: str, kind: str, says: str) -> None:
    said = stage(call, hub, tmp_path, HF_TOKEN=TOKEN)
    assert said.startswith(kind)
    assert says in said
    assert call.split("'")[1] in said


def test_how_far_a_download_is_is_told_instead_of_drawn(hub: str, tmp_path: Path) -> None:
    said = stage("'lab/tiny', 'main', lambda text: print('told', text)", hub, tmp_path)
    told = [line for line in said.splitlines() if line.startswith("told ")]
    assert told and all(re.fullmatch(r"told 0\.0 MiB of 0\.0 MiB|told \d of 2 files", line) for line in told)
    assert said.splitlines()[-1].endswith(COMMIT)


def test_messages_keep_their_distance() -> None:
    told: list[str] = []
    now = [100.0]
    bar = told_by(told.append, lambda: now[0])(total=3 * 2**30, unit="B")
    for _ in range(10):
        bar.update(2**28)
        bar.refresh()
    now[0] += TELL_S
    bar.refresh()
    bar.close()
    assert told == ["256.0 MiB of 3.0 GiB", "2.5 GiB of 3.0 GiB"]


def test_hub_out_of_reach_is_infra(tmp_path: Path) -> None:
    said = stage("'lab/tiny'", "http://127.0.0.1:9", tmp_path)
    assert said.startswith("InfraError")
    assert "lab/tiny" in said
    assert "HF_ENDPOINT" in said


def test_locating_names_folder_and_commit_without_fetching_weights(hub: str, tmp_path: Path) -> None:
    located = stage("'lab/tiny', 'main'", hub, tmp_path, function="locate")
    assert located.endswith(f"/snapshots/{COMMIT} {COMMIT}")
    assert not any("/resolve/" in line for line in Hub.asked)
    assert stage("'lab/tiny', 'main'", hub, tmp_path) == located


def test_locating_a_full_commit_asks_nobody(tmp_path: Path) -> None:
    located = stage(f"'lab/tiny', '{COMMIT}'", "http://127.0.0.1:9", tmp_path, function="locate")
    assert located.endswith(f"/snapshots/{COMMIT} {COMMIT}")


def test_locating_a_branch_offline_uses_the_cache_or_says_so(hub: str, tmp_path: Path) -> None:
    missing = stage("'lab/tiny'", "http://127.0.0.1:9", tmp_path, function="locate")
    assert missing.startswith("InfraError") and "lab/tiny" in missing
    fetched = stage("'lab/tiny', 'main'", hub, tmp_path)
    assert stage("'lab/tiny', 'main'", "http://127.0.0.1:9", tmp_path, function="locate") == fetched
    assert stage("'lab/tiny', 'main'", hub, tmp_path, function="locate", HF_HUB_OFFLINE="1") == fetched
    assert stage("'lab/none'", hub, tmp_path, function="locate").startswith("ConfigError")
