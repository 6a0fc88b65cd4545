"""A PostgreSQL server of its own for these tests: in a temporary folder, reachable through a Unix socket only."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def missing() -> str | None:
    """Why no server can be started here, or None."""
    if _tool("initdb") is None or _tool("pg_ctl") is None:
        return "no initdb and pg_ctl on this machine (Debian: apt-get install postgresql)"
    if os.getuid() == 0 and not _account():
        return "PostgreSQL refuses to run as root and there is no user postgres"
    return None


@contextmanager
def server() -> Iterator[str]:
    """Yields the folder of the running server's socket; the user is `postgres`, without a password."""
    folder = Path(tempfile.mkdtemp(prefix="matrix-pg-"))
    if _account():
        shutil.chown(folder, "postgres")
    folder.chmod(0o755)
    try:
        _run("initdb", "-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off"
        _run("pg_ctl", "-D", str(folder / "data"), "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            yield str(folder)
        finally:
            _run("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(tool: str, *args: str) -> None:
    # pg_ctl's server would hold an inherited pipe open for ever, so nothing is captured.
    subprocess.run([str(_tool(tool)), *args], check=True, stdout=subprocess.DEVNULL, user=_account(), cwd="/")


def _account() -> str | None:
    """The user to become: PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return None
    return "postgres" if "postgres" in {entry.pw_name for entry in pwd.getpwall()} else None


def _tool(name: str) -> str | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")]))
