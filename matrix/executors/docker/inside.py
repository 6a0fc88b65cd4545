"""Runs inside a container without a network, before the engine: lets connections in by a Unix socket.

Standard library of Python 3.8 and later alone: it is handed over as text and runs on the image's own Python. The engine
takes this process over, so that its signals and its exit status stay its own; the relay is a child of the init process
and ends with the container. Arguments: the socket's path, the engine's port, then the engine's own arguments.
"""

import contextlib
import os
import socket
import sys
import threading

CHUNK = 65536


def copy(source: socket.socket, sink: socket.socket) -> None:
    """Until `source` says no more; then neither does `sink`."""
    try:
        while True:
            data = source.recv(CHUNK)
            if not data:
                break
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def carry(guest: socket.socket, port: int) -> None:
    """One connection; closed at once while the engine does not listen."""
    with guest:
        try:
            engine = socket.create_connection(("127.0.0.1", port))
        except OSError:
            return
        with engine:
            engine.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=copy, args=(engine, guest), daemon=True)
            back.start()
            copy(guest, engine)
            back.join()


def relay(listener: socket.socket, port: int) -> None:
    while True:
        guest, _ = listener.accept()
        threading.Thread(target=carry, args=(guest, port), daemon=True).start()


def main(path: str, port: str, *engine: str) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    os.chmod(path, 0o666)  # noqa: PTH101, S103 - the folder around it lets only its owner in  # nosec B103
    listener.listen(1024)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os.execv(sys.executable, [sys.executable, *engine])  # noqa: S606  # nosec B606
    if os.fork():
        os._exit(0)
    relay(listener, int(port))


if __name__ == "__main__":
    main(*sys.argv[1:])
