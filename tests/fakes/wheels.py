"""Makes tiny wheels and source archives in a folder, for real installers to find by find-links."""

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

STUB_ENGINE = Path(__file__).with_name("stub_engine.py").read_text()


def wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str | bytes] | None = None,
    requires: Sequence[str] = (),
    tag: str = "py3-none-any",
) -> Path:
    """A wheel with these files (path in site-packages -> content) and requirements; returns its path."""
    stem = f"{name.replace('-', '_')}-{version}"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *(f"Requires-Dist: {r}" for r in requires)]
    content: dict[str, str | bytes] = {
        **(files or {f"{name.replace('-', '_')}.py": f"VERSION = {version!r}\n"}),
        f"{stem}.dist-info/METADATA": "\n".join(metadata) + "\n",
        f"{stem}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    record = [f"{path},sha256={_hash(body)},{len(_bytes(body))}" for path, body in content.items()]
    content[f"{stem}.dist-info/RECORD"] = "\n".join([*record, f"{stem}.dist-info/RECORD,,"]) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, body in content.items():
            archive.writestr(file, body)
    return path


def stub_engine(folder: Path, version: str = "1.0", requires: Sequence[str] = ()) -> Path:
    """A wheel whose module `stub_engine.server` serves HTTP, crashes or leaves stubborn children, as its arguments say."""
    files = {"stub_engine/__init__.py": "", "stub_engine/server.py": STUB_ENGINE}
    return wheel(folder, "stub-engine", version, files, requires)


def slow_source(folder: Path, name: str, version: str, started: Path) -> Path:
    """A source archive whose build creates the file `started` (holding its pid) and then takes ten minutes."""
    backend = f"""
import os, pathlib, time

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    pathlib.Path({str(started)!r}).write_text(str(os.getpid()))
    time.sleep(600)
"""
    project = f"""
[build-system]
requires = []
build-backend = "slow_backend"
backend-path = ["."]

[project]
name = "{name}"
version = "{version}"
"""
    stem = f"{name.replace('-', '_')}-{version}"
    files = {"pyproject.toml": project, "slow_backend.py": backend, "PKG-INFO": _pkg_info(name, version)}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for file, body in files.items():
            entry = tarfile.TarInfo(f"{stem}/{file}")
            entry.size = len(body.encode())
            archive.addfile(entry, io.BytesIO(body.encode()))
    return path


def _pkg_info(name: str, version: str) -> str:
    return f"Metadata-Version: 2.2\nName: {name}\nVersion: {version}\n"


def _bytes(body: str | bytes) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _hash(body: str | bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(_bytes(body)).digest()).rstrip(b"=").decode()
