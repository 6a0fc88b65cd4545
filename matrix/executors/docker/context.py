"""The build context: what a Dockerfile of ours may read, packed without touching the user's folders."""

import io
import shlex
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.index import IndexSettings
from matrix.executors.docker.settings import DockerSettings

_CONSTRAINTS = "inputs/constraints.txt"


def write_context(
    out: IO[bytes], dockerfile: str, settings: DockerSettings, index: IndexSettings, note: Callable[[str], None]
) -> None:
    """Write the context as a tar: `Dockerfile` and `inputs/` (wheels, index settings, constraints, certificates).

    Index settings may hold credentials: keep `out` private and short-lived. Raises EnvironmentMismatchError for a named
    file that is not there.
    """
    with tarfile.open(fileobj=out, mode="w") as tar:
        _add(tar, "Dockerfile", dockerfile)
        _add(tar, "inputs/index.sh", index_script(index, note))
        _add(tar, _CONSTRAINTS, "\n".join(_read(Path(f)) for f in _local_constraints(index)))
        bundle = settings.ca_bundle or (Path(index.cert) if index.cert else None)
        _add(tar, "inputs/ca.pem", _read(bundle) if bundle else "")
        for wheel in _wheels(settings.wheel_dir):
            tar.add(wheel.resolve(), f"inputs/wheels/{wheel.name}", filter=_anonymous)


def write_overlay_context(out: IO[bytes], dockerfile: str, archive: Path) -> None:
    """Write the context of a commit laid over an image: `Dockerfile`, and its files as `inputs/overlay.tar`."""
    with tarfile.open(fileobj=out, mode="w") as tar:
        _add(tar, "Dockerfile", dockerfile)
        tar.add(archive, "inputs/overlay.tar", filter=_anonymous)


def index_script(index: IndexSettings, note: Callable[[str], None]) -> str:
    """Shell lines that hand the index settings to uv and pip inside a build.

    Folders of this host are not there inside, so they are left out, each with a note; the certificates and constraints
    come as files of the context.
    """
    for setting in [*index.find_links, *index.extra_index_urls, index.index_url or ""]:
        if _local(setting):
            note(f"{setting} of the index settings is not visible in the build; `wheel_dir` offers a folder to it")
    own = (f"/{_CONSTRAINTS}",) if _local_constraints(index) else ()
    inside = replace(
        index,
        index_url=None if index.index_url and _local(index.index_url) else index.index_url,
        extra_index_urls=tuple(u for u in index.extra_index_urls if not _local(u)),
        find_links=("/inputs/wheels", *(f for f in index.find_links if not _local(f))),
        constraints=(*own, *(c for c in index.constraints if "://" in c)),
        cert=None,
    )
    variables = inside.uv_env() | inside.pip_env() | {"UV_ARGS": " ".join(inside.uv_args())}
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in sorted(variables.items()))


def _local_constraints(index: IndexSettings) -> list[str]:
    return [file for file in index.constraints if "://" not in file]


def _local(setting: str) -> bool:
    return bool(setting) and ("://" not in setting or setting.startswith("file:"))


def _wheels(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise EnvironmentMismatchError(f"wheel_dir {folder} is not a folder", hint="name a folder that holds wheels")
    return sorted(folder.glob("*.whl"))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as exc:
        cause = f"cannot read {path}, which the image build needs: {exc.strerror}"
        raise EnvironmentMismatchError(cause, hint="correct the path in the docker or index settings") from exc


def _add(tar: tarfile.TarFile, name: str, text: str) -> None:
    body = text.encode()
    info = tarfile.TarInfo(name)
    info.size = len(body)
    tar.addfile(info, io.BytesIO(body))


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """Owner and mode of this host have no meaning inside."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o644
    return info
