"""Style sheet, scripts and icon: sent with an ETag, and cached for good under an address that names their content."""

import hashlib
import os
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER = Path(__file__).parent / "static"
_FOREVER = "public, max-age=31536000, immutable"


class _Versioned(StaticFiles):
    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        versioned = scope.get("query_string", b"").startswith(b"v=")
        response.headers["cache-control"] = _FOREVER if versioned else "no-cache"
        return response


def mount_static(app: FastAPI) -> dict[str, str]:
    """Serve the folder under /static; returns the address to use for each file, by its path inside the folder."""
    app.mount("/static", _Versioned(directory=FOLDER), name="static")
    files = [path for path in sorted(FOLDER.rglob("*")) if path.is_file()]
    return {str(path.relative_to(FOLDER)): _address(path) for path in files}


def _address(path: Path) -> str:
    content = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return f"/static/{path.relative_to(FOLDER).as_posix()}?v={content}"
