"""Runs the dashboard: in the foreground, or beside a sweep in the same process."""

import errno
import socket
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import NoReturn

import uvicorn
from fastapi import FastAPI

from matrix.app.measures import Measures
from matrix.core.errors import ConfigError, InfraError
from matrix.store import Store, open_store
from web.app import create_app
from web.hosts import allowed_names, is_loopback
from web.reader import Reader
from web.store_reader import StoreReader
from web.store_writer import StoreWriter
from web.warm import warm

Announce = Callable[["Background"], None]
"""Told once the dashboard listens."""


class Background:
    """The dashboard in a thread of its own, with a store of its own. Use as a context manager.

    `names`: further names it answers to, see `web.hosts`; `read_only`: nothing can be changed through it.
    """

    def __init__(self, db: str, host: str, port: int, names: Iterable[str] = (), *, read_only: bool = False) -> None:
        answered = allowed_names(host, names)
        self._socket = listen(host, port)
        self.url = address(self._socket, host)
        self._store = open_store(db)
        self.open_to = _open_to(host, self._store, read_only)
        self._server = _server(self._store, answered, read_only)
        self._thread = threading.Thread(target=self._run, name="dashboard", daemon=True)

    def wait_ready(self) -> None:
        """Return once it answers, or has failed. Who asks earlier waits: the port is open, and takes connections."""
        self._server.ready.wait()

    def __enter__(self) -> "Background":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()
        self._store.close()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._server.ready.set()


def serve_forever(
    db: str, host: str, port: int, announce: Announce, names: Iterable[str] = (), *, read_only: bool = False
) -> None:
    """Serve until interrupted.

    Raises InfraError when the port is taken, ConfigError for an address that is not this machine's.
    """
    with Background(db, host, port, names, read_only=read_only) as server:
        server.wait_ready()
        announce(server)
        wait_forever()


def wait_forever() -> NoReturn:
    """Sleep until KeyboardInterrupt, which goes on."""
    while True:
        time.sleep(3600)


def listen(host: str, port: int) -> socket.socket:
    """A bound socket, so that a taken port is told before any work is done."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except socket.gaierror as error:
        raise ConfigError(f"--host {host}: {error.strerror}", hint="give an address of this machine") from None
    except OSError as error:
        raise _bind_error(error, host, port) from None
    return bound


def _bind_error(error: OSError, host: str, port: int) -> Exception:
    if error.errno == errno.EADDRINUSE:
        return InfraError(
            f"--port {port}: another process listens on {host}:{port}", hint="`--port 0` takes a free one"
        )
    if error.errno == errno.EACCES:
        return InfraError(
            f"--port {port}: not allowed to listen there", hint="ports below 1024 need root; take another"
        )
    return ConfigError(f"--host {host}: {error.strerror}", hint="give an address of this machine")


def address(bound: socket.socket, host: str) -> str:
    """The URL that a browser on this machine opens."""
    port = bound.getsockname()[1]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}"


class _Server(uvicorn.Server):
    """Warms the application before it takes connections; `ready` is set then."""

    def __init__(self, app: FastAPI, reader: Reader) -> None:
        super().__init__(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
        self.ready = threading.Event()
        self._app, self._reader = app, reader

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await warm(self._app, self._reader)
        await super().startup(sockets)
        self.ready.set()


def _server(store: Store, names: frozenset[str] | None, read_only: bool = False) -> _Server:
    reader, writer = StoreReader(store), None if read_only else StoreWriter(store)
    app = create_app(reader, hosts=names, version=store.mark.now, measures=Measures(store).text, writer=writer)
    return _Server(app, reader)


def _open_to(host: str, store: Store, read_only: bool) -> str:
    """What lies open beyond this machine, in a sentence; empty where nothing does."""
    if is_loopback(host):
        return ""
    if read_only:
        writing = "nothing can be changed, since it only shows"
    elif any(token.revoked_at is None for token in store.tokens.all()):
        writing = "changing something needs a token"
    else:
        writing = "nothing can be changed until `matrix token create NAME` makes a token"
    return f"whoever reaches {host} reads everything, logs too, without a token; {writing}"
