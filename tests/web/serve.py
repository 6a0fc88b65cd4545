"""A real server on a free port of 127.0.0.1, for browsers; also `python -m tests.web.serve WORLD [PORT]` to look around."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.web import build, extremes, worlds
from web import create_app
from web.reader import Reader
from web.writer import Writer


@contextmanager
def serving(store: Reader, poll_s: float = 2.0, writer: Writer | None = None) -> Iterator[str]:
    """The address of a dashboard over `store`; stopped on leaving."""
    app = create_app(store, poll_s=poll_s, clock=lambda: build.NOW, writer=writer)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the server ended while starting")
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


if __name__ == "__main__":
    world = (getattr(worlds, sys.argv[1], None) or getattr(extremes, sys.argv[1]))()
    uvicorn.run(
        create_app(world, clock=lambda: build.NOW),
        host="127.0.0.1",
        port=int(sys.argv[2]) if len(sys.argv) > 2 else 8000,
    )
