"""Stands in for an engine inside a container: serves what it sees of its walls, or dies as it is told."""

import http.server
import json
import os
import signal
import subprocess
import sys
import time

EAT = "b = bytearray()\nwhile True: b += bytes(1 << 20)"


def attempt(path: str) -> str:
    try:
        with open(path, "w") as out:  # noqa: PTH123
            out.write("x")
    except OSError as exc:
        return f"refused: {exc.strerror}"
    return "written"


def run_from(folder: str) -> str:
    """Engines compile and then load from here, so a mount without exec would break them."""
    path = f"{folder}/tool.sh"
    with open(path, "w") as out:  # noqa: PTH123
        out.write("#!/bin/sh\necho ran\n")
    os.chmod(path, 0o700)  # noqa: PTH101
    return subprocess.run([path], capture_output=True, text=True, check=False).stdout.strip()


def status() -> dict[str, str]:
    with open("/proc/self/status") as lines:  # noqa: PTH123
        return {k: v.strip() for k, _, v in (line.partition(":") for line in lines)}


def walls() -> dict[str, object]:
    home, seen = os.environ["HOME"], status()
    places = ("/made", "/opt/made", "/models/target/made", "/tmp/made", f"{home}/made")
    return {
        "write": {place.replace(home, "~"): attempt(place) for place in places},
        "exec": {"/tmp": run_from("/tmp"), "~": run_from(home)},
        "caps": {name: seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
        "no_new_privs": seen["NoNewPrivs"],
        "seccomp": seen["Seccomp"],
        "user": [os.getuid(), os.getgid()],
        "env": dict(os.environ),
        "argv": sys.argv[1:],
        "models": {d: sorted(os.listdir(f"/models/{d}")) for d in os.listdir("/models")},  # noqa: PTH208
        "shm": os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize,
    }


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps(walls()).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)


def main(verb: str, *args: str) -> None:
    print(f"stub: {verb}")
    print("stub: this goes to standard error", file=sys.stderr)
    if verb == "exit":
        sys.exit(int(args[0]))
    if verb == "eat":
        exec(EAT)
    if verb == "child-eats":
        child = subprocess.run([sys.executable, "-c", EAT], check=False)
        print(f"stub: child ended {child.returncode}")
        sys.exit(3)
    if verb == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if verb == "talk":
        for number in range(int(args[0])):
            print(f"line {number}")
            time.sleep(0.01)
    http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
