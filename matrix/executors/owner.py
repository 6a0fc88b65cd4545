"""Who started a server: an identity that outlives its process, and that a later process with the same pid lacks."""

import os
import socket
from pathlib import Path

import psutil

from matrix.executors.processes import OWNER


def me() -> str:
    """This process as `host:pid:starttime`; compare it as a whole, its parts are private."""
    return of(os.getpid())


def of(pid: int) -> str:
    """The identity of a running process on this host; raises psutil.NoSuchProcess when there is none."""
    return f"{_host()}:{pid}:{start_time(pid)}"


def alive(owner: str) -> bool:
    """False only when that process is known to have ended.

    A process of another host cannot be looked up, so it counts as alive: its leftovers are for that host to remove.
    A zombie counts as ended, since it can no longer stop what it started.
    """
    host, _, process = owner.partition(":")
    if host != _host():
        return True
    pid, _, started = process.partition(":")
    try:
        return start_time(int(pid)) == started
    except (psutil.NoSuchProcess, ValueError):
        return False


def owns(pid: int) -> bool:
    """True when that process is this one, or was started by it as a server or by such a one."""
    if pid == os.getpid():
        return True
    try:
        return psutil.Process(pid).environ().get(OWNER) == me()
    except (psutil.Error, OSError):
        return False


def start_time(pid: int) -> str:
    """When a process started, as text that only equality is good for; raises psutil.NoSuchProcess for the ended.

    On Linux: the boot's id and clock ticks since that boot, which, unlike wall-clock times, no clock change can move.
    """
    stat = Path(f"/proc/{pid}/stat")
    try:
        # The name in parentheses may hold spaces and parentheses itself, so fields are counted from the last one.
        fields = stat.read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return _portable_start_time(pid)
    if fields[0] in "ZX":
        raise psutil.NoSuchProcess(pid)
    return f"{_boot()}-{fields[19]}"


def _portable_start_time(pid: int) -> str:
    process = psutil.Process(pid)
    if process.status() == psutil.STATUS_ZOMBIE:
        raise psutil.NoSuchProcess(pid)
    return f"{process.create_time():.2f}"


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        return "boot"


def _host() -> str:
    return socket.gethostname().replace(":", "_") or "localhost"
