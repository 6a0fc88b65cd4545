"""Stands in for an engine: serves HTTP, dies as told, and leaves children that are hard to get rid of."""

import argparse
import json
import mmap
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"env": dict(os.environ), "cwd": str(Path.cwd()), "argv": sys.argv}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        print("request", self.path, flush=True)


def stubborn(detach, wiped):
    """A child that ignores SIGTERM; detached, it leaves group and parent (forked twice); wiped, it has no environment."""
    if os.fork():
        return
    if detach:
        os.setsid()
        if os.fork():
            os._exit(0)
    elif wiped:
        program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        os.execve(sys.executable, [sys.executable, "-c", program], {})
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    parser.add_argument("--exit", type=int)
    parser.add_argument("--signal", type=int)
    parser.add_argument("--flood", type=int, default=0)
    parser.add_argument("--eat", type=int, default=0)
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--children", type=int, default=0)
    parser.add_argument("--shared-memory", nargs="*", default=())
    args = parser.parse_args()
    print("stub engine starts", flush=True)
    print("and complains", file=sys.stderr, flush=True)
    block = (("x" * 127 + "\n") * 512).encode()
    for _ in range(args.flood * 16):
        os.write(1, block)
    if args.flood:
        print("the cause", flush=True)
        sys.exit(3)
    eaten = b"x" * (args.eat * 2**20) if args.eat and os.fork() == 0 else b""
    for number in range(args.children):
        stubborn(detach=number % 2 == 1, wiped=number == 2)
    segments = []
    for name in args.shared_memory:
        # As native libraries do it, without Python's tracker that would clean up.
        path = Path("/dev/shm", name)
        with path.open("rb+" if path.exists() else "wb+") as file:
            file.truncate(4096)
            segments.append(mmap.mmap(file.fileno(), 4096, mmap.MAP_SHARED, mmap.PROT_READ))
    if args.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if args.signal is not None:
        os.kill(os.getpid(), args.signal)
    if args.exit is not None:
        sys.exit(args.exit)
    if eaten:
        time.sleep(600)
    HTTPServer((args.host, args.port), Answer).serve_forever()


if __name__ == "__main__":
    main()
