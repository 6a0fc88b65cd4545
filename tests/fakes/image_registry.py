"""Debian's docker-registry on loopback, and images put into it by hand."""

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from matrix.executors.ports import free_port
from tests.require import require

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


@contextmanager
def image_registry(folder: Path, *, token_realm: str = "", certificate: Path | None = None) -> Iterator[str]:
    """`host:port` of a registry that keeps everything in `folder`; with a realm it wants tokens from there."""
    program = shutil.which("docker-registry")
    require("registry", program is not None, "docker-registry is not installed (.ci/packages.sh installs it)")
    host = f"127.0.0.1:{free_port()}"
    settings: dict[str, Any] = {
        "version": 0.1,
        "log": {"level": "warn"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}, "delete": {"enabled": True}},
        "http": {"addr": host},
    }
    if token_realm:
        token = {
            "realm": token_realm,
            "service": "registry.test",
            "issuer": "tests",
            "rootcertbundle": str(certificate),
        }
        settings["auth"] = {"token": token}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(json.dumps(settings))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(program), "serve", str(folder / "config.yml")], stdout=log, stderr=log)
        try:
            _until_up(f"http://{host}/v2/", process, folder / "log")
            yield host
        finally:
            process.terminate()
            process.wait(30)


def put_image(host: str, repository: str, tag: str, architecture: str = "amd64") -> str:
    """Put an image of one empty layer there; returns its digest."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w"):
        pass
    layer = gzip.compress(body.getvalue(), mtime=0)
    diff = f"sha256:{hashlib.sha256(body.getvalue()).hexdigest()}"
    rootfs = {"type": "layers", "diff_ids": [diff]}
    config = json.dumps({"architecture": architecture, "os": "linux", "config": {}, "rootfs": rootfs}).encode()
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {"mediaType": CONFIG, "size": len(config), "digest": _put_blob(host, repository, config)},
        "layers": [{"mediaType": LAYER, "size": len(layer), "digest": _put_blob(host, repository, layer)}],
    }
    return put_manifest(host, repository, tag, MANIFEST, manifest)


def put_index(host: str, repository: str, tag: str, kind: str = LIST) -> str:
    """Put a manifest list (or OCI index) of two architectures there; returns its digest."""
    entries = []
    for architecture in ("amd64", "arm64"):
        digest = put_image(host, repository, f"{tag}-{architecture}", architecture)
        size = len(
            requests.get(f"http://{host}/v2/{repository}/manifests/{digest}", headers={"Accept": MANIFEST}).content
        )
        place = {"architecture": architecture, "os": "linux"}
        entries.append({"mediaType": MANIFEST, "size": size, "digest": digest, "platform": place})
    return put_manifest(host, repository, tag, kind, {"schemaVersion": 2, "mediaType": kind, "manifests": entries})


def put_manifest(host: str, repository: str, tag: str, kind: str, manifest: dict[str, Any]) -> str:
    body = json.dumps(manifest).encode()
    url = f"http://{host}/v2/{repository}/manifests/{tag}"
    requests.put(url, body, headers={"Content-Type": kind}, timeout=30).raise_for_status()
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def _put_blob(host: str, repository: str, body: bytes) -> str:
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    begun = requests.post(f"http://{host}/v2/{repository}/blobs/uploads/", timeout=30)
    begun.raise_for_status()
    requests.put(begun.headers["Location"], body, params={"digest": digest}, timeout=30).raise_for_status()
    return digest


def _until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, log.read_text()
        try:
            requests.get(url, timeout=5)
            return
        except requests.ConnectionError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
