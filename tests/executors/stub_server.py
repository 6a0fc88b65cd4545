"""Stands in for an engine inside a container: serves what it sees of its walls, or dies as it is told."""

import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

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


def raised() -> dict[str, str]:
    """What a process could do to become more than it is."""
    tries = {
        "setuid": lambda: os.setuid(os.getuid() + 1),
        "setgroups": lambda: os.setgroups([0]),
        "chroot": lambda: os.chroot("/tmp"),
        "device": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)),
        "chown": lambda: os.chown("/models/target/config.json", 12345, 12345),
        "packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close(),
        "mount": lambda: subprocess.run(["mount", "-t", "tmpfs", "none", "/tmp"], check=True, capture_output=True),
        "namespace": lambda: subprocess.run(["unshare", "-m", "true"], check=True, capture_output=True),
    }
    return {name: did(act) for name, act in tries.items()}


def did(act: Callable[[], object]) -> str:
    try:
        act()
    except (OSError, subprocess.CalledProcessError):
        return "refused"
    return "done"


def reach(host: str, port: str) -> str:
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
    except OSError:
        return "unreachable"
    return "reached"


def status() -> dict[str, str]:
    with open("/proc/self/status") as lines:  # noqa: PTH123
        return {k: v.strip() for k, _, v in (line.partition(":") for line in lines)}


def walls() -> dict[str, object]:
    home, seen = os.environ["HOME"], status()
    places = ("/made", "/opt/made", "/models/target/made", "/tmp/made", f"{home}/made")
    return {
        "write": {place.replace(home, "~"): attempt(place) for place in places},
        "exec": {"/tmp": run_from("/tmp"), "~": run_from(home)},
        "raised": raised(),
        "daemon": [path for path in ("/var/run/docker.sock", "/run/docker.sock") if os.path.exists(path)],  # noqa: PTH110
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
        _, verb, *rest = self.path.split("/")
        body = json.dumps({"said": reach(*rest)} if verb == "reach" else walls()).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)


def flood(mib: int) -> None:
    """So many MiB of lines, as fast as they are taken."""
    block = (("x" * 4095 + "\n") * 16).encode()
    sys.stdout.flush()
    for _ in range(mib * 16):
        os.write(1, block)


def forks() -> int:
    """Forks until that is refused."""
    for number in range(100_000):
        try:
            if os.fork() == 0:
                time.sleep(600)
                os._exit(0)
        except OSError:
            return number
    return -1


def main(verb: str, *args: str) -> None:
    print(f"stub: {verb}")
    print("stub: this goes to standard error", file=sys.stderr)
    if verb == "flood":
        flood(int(args[0]))
        print("stub: the cause", flush=True)
        sys.exit(3)
    if verb == "forks":
        print(f"stub: refused after {forks()} forks", flush=True)
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
