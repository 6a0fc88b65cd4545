"""A Docker daemon of a test's own, which may be killed without harm to anyone else's containers."""

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import docker
import requests
from docker import DockerClient
from docker.errors import DockerException


class SecondDaemon:
    """`dockerd` on a socket and a bridge of its own, with live-restore: containers outlive it. Needs root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bridge = f"tbr{os.getpid() % 100000}"
        self._process: subprocess.Popen[bytes] | None = None
        self.host = f"unix://{root}/sock"

    @staticmethod
    def possible() -> bool:
        return os.geteuid() == 0 and all(map(shutil.which, ("dockerd", "ip")))

    def start(self) -> DockerClient:
        """Start it, again after a kill too; returns a client once it answers."""
        if not Path(f"/sys/class/net/{self._bridge}").exists():
            net = f"172.31.{os.getpid() % 250}.1/24"
            for words in (["link", "add", self._bridge, "type", "bridge"], ["addr", "add", net, "dev", self._bridge]):
                subprocess.run(["ip", *words], check=True)
            subprocess.run(["ip", "link", "set", self._bridge, "up"], check=True)
        for stale in ("pid", "exec/containerd/containerd.pid"):
            (self._root / stale).unlink(missing_ok=True)
        command = ["dockerd", "--data-root", self._path("data"), "--exec-root", self._path("exec"), "--host", self.host]
        command += ["--pidfile", self._path("pid"), "--bridge", self._bridge, "--live-restore"]
        command += ["--iptables=false", "--ip6tables=false"]
        with (self._root / "dockerd.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        return self._client()

    def kill(self) -> None:
        """kill -9, and its containerd with it; containers go on."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        pidfile = self._root / "exec/containerd/containerd.pid"
        if pidfile.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pidfile.read_text()), 9)
        time.sleep(2)

    def close(self) -> None:
        """Remove its containers, then itself and its bridge."""
        client = self.start() if self._process is None else self._client()
        for container in client.containers.list(all=True):
            container.remove(force=True)
        client.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
        subprocess.run(["ip", "link", "del", self._bridge], check=False)
        # dockerd mounts its own folder on itself and leaves that behind.
        subprocess.run(["umount", self._path("data")], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self._root / "data", ignore_errors=True)

    def _client(self) -> DockerClient:
        deadline = time.monotonic() + 60
        while True:
            try:
                client = docker.DockerClient(base_url=self.host)
                client.ping()
            except (DockerException, requests.RequestException):
                assert time.monotonic() < deadline, (self._root / "dockerd.log").read_text()[-2000:]
                time.sleep(0.5)
            else:
                return client

    def _path(self, name: str) -> str:
        return str(self._root / name)
