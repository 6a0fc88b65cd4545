"""The whole container-create request for each image era of both engines, as it goes over the wire.

A file of golden/ that no longer fits is a change of what users' containers are: look at it, then write all of them anew
with MATRIX_WRITE_GOLDEN=1 in the environment.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

from matrix.core.cell import Cell
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.recipe import Placement
from matrix.core.spec import Method, SpecConfig
from matrix.engines import sglang_recipe_rows, vllm_recipe_rows
from matrix.engines.quirks import Quirk
from matrix.engines.registry import adapter_for
from matrix.executors.docker import DockerSettings, paths
from matrix.executors.docker.mounts import model_mounts
from matrix.executors.docker.request import container_request
from matrix.executors.docker.user import container_user
from tests.engines.cells import H100_CUDA_12, H200, SHA, gpu_cell

FOLDER = Path(__file__).with_name("golden")
WRITE = os.environ.get("MATRIX_WRITE_GOLDEN") == "1"
NIGHTLY = f"0.28.1rc1.dev380+g{SHA[:9]}"
OLD_NIGHTLY = f"0.19.1rc1.dev12+g{SHA[:9]}"
SGLANG_NIGHTLY, SGLANG_OLD_NIGHTLY = "0.5.12.dev20260510+g4cf4f0859", "0.5.10.dev20260215+g4cf4f0859"

# Name of the file: engine, version, machine, GPUs.
ERAS: dict[str, tuple[str, str, Hardware, int]] = {
    "sglang-cu124": ("sglang", "0.4.6.post5", H100_CUDA_12, 1),
    "sglang-cu126": ("sglang", "0.5.2", H100_CUDA_12, 1),
    "sglang-plain-cuda12": ("sglang", "0.5.9", H100_CUDA_12, 2),
    "sglang-cu129": ("sglang", "0.5.18", H100_CUDA_12, 1),
    "sglang-plain-cuda13": ("sglang", "0.5.23", H200, 8),
    "sglang-nightly-cuda12": ("sglang", SGLANG_OLD_NIGHTLY, H100_CUDA_12, 1),
    "sglang-nightly-cuda13": ("sglang", SGLANG_NIGHTLY, H200, 1),
    "vllm-cuda124": ("vllm", "0.8.5", H100_CUDA_12, 1),
    "vllm-cuda128": ("vllm", "0.11.0", H100_CUDA_12, 2),
    "vllm-cu129": ("vllm", "0.32.0", H100_CUDA_12, 1),
    "vllm-cuda13": ("vllm", "0.32.0", H200, 8),
    "vllm-nightly-cuda12": ("vllm", OLD_NIGHTLY, H100_CUDA_12, 1),
    "vllm-nightly-cuda13": ("vllm", NIGHTLY, H200, 1),
}


@pytest.fixture(scope="module")
def daemon() -> Iterator[tuple[DockerClient, list[dict[str, Any]]]]:
    """A client, and the bodies of what it asked to be created. Nothing is created."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._say({"Id": "c0ffee", "Warnings": []})

        def do_GET(self) -> None:
            self._say({"Id": "c0ffee"})

        def _say(self, answer: dict[str, Any]) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = DockerClient(base_url=f"tcp://127.0.0.1:{server.server_address[1]}", version="1.41")
    yield client, asked
    client.close()
    server.shutdown()
    server.server_close()


def cell_of(era: str) -> Cell:
    engine, version, hardware, gpus = ERAS[era]
    commit = SHA if engine == "vllm" and "+g" in version else ""
    cell = gpu_cell(engine, version, "image", hardware, commit=commit, gpus=gpus)
    target, head = Model("target", "/data/target", "target", "t"), Model("head", "/data/head", "head", "h")
    return replace(cell, target=target, spec=SpecConfig("eagle3", Method.EAGLE3, head, 3))


@pytest.mark.parametrize("era", ERAS)
def test_request_of_an_era(
    era: str, daemon: tuple[DockerClient, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(os, "getgid", lambda: 1000)
    cell = cell_of(era)
    adapter = adapter_for(cell.revision.engine)
    image = adapter.recipe(cell).image
    exactly = f"{image.rpartition(':')[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"
    place = Placement(paths.TARGET, paths.DRAFT, "0.0.0.0", paths.PORT, "RUN")
    mounts = [*model_mounts("/data/target", paths.TARGET), *model_mounts("/data/head", paths.DRAFT)]
    user = container_user(published=True, mapped=False)
    marks = {"org.specmatrix.run": "RUN"}
    client, asked = daemon
    client.containers.create(
        **container_request(exactly, adapter.launch(cell, place), mounts, marks, DockerSettings(), user)
    )
    found = {"tag": image, "request": asked[-1]}
    path = FOLDER / f"{era}.json"
    if WRITE:
        FOLDER.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    assert json.loads(path.read_text()) == found


def test_every_row_of_images_has_an_era_and_every_file_is_used() -> None:
    rows: dict[str, tuple[Quirk, ...]] = {
        "sglang": sglang_recipe_rows.IMAGES + sglang_recipe_rows.NIGHTLY_IMAGES,
        "vllm": vllm_recipe_rows.IMAGES + vllm_recipe_rows.NIGHTLY_IMAGES,
    }
    for engine, table in rows.items():
        eras = [era for era, (name, *_) in ERAS.items() if name == engine]
        for row in table:
            assert any(row.holds(ERAS[era][1]) for era in eras), f"no era for {row}"
        found = {(ERAS[era][1], adapter_for(engine).recipe(cell_of(era)).image) for era in eras}
        assert len(found) == len(eras) == len(table), f"{engine}: one era a row, each with a tag of its own"
    assert {path.stem for path in FOLDER.glob("*.json")} == set(ERAS)
