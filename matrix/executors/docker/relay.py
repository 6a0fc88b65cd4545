"""The way to a server in a container without a network: a port of ours on loopback, and a Unix socket of its."""

import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from matrix.executors.docker import inside
from matrix.executors.ports import LOOPBACK

SOCKETS = "/run/specmatrix"
"""Where the container sees the folder of its socket."""

_PREFIX = "specmatrix-relay-"
_NAME = "engine"
_MODE = 0o770  # root of a published image has no capability that would let it in, but joins our group


def program(port: int) -> list[str]:
    """What stands before the engine's own arguments of `python3`."""
    return ["-c", Path(inside.__file__).read_text(), f"{SOCKETS}/{_NAME}", str(port)]


class Relay:
    """Listens on a free loopback port while it is open; `folder` is to be mounted at `SOCKETS`, and `close` removes it.

    While nobody listens inside a connection is made and then closed without an answer.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self.folder.chmod(_MODE)
        self._listener = socket.create_server((LOOPBACK, 0), backlog=1024)
        self.url = f"http://{LOOPBACK}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._run, name="relay", daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        remove(str(self.folder))

    def _run(self) -> None:
        while True:
            try:
                guest, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(guest,), daemon=True).start()

    def _carry(self, guest: socket.socket) -> None:
        with guest, socket.socket(socket.AF_UNIX) as engine:
            guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                engine.connect(str(self.folder / _NAME))
            except OSError:
                return
            back = threading.Thread(target=inside.copy, args=(engine, guest), daemon=True)
            back.start()
            inside.copy(guest, engine)
            back.join()


def remove(folder: str) -> None:
    """Remove a relay's folder, this process's or a dead one's; no folder of another name."""
    if Path(folder).name.startswith(_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
