"""A PostgreSQL cluster and a Docker daemon of our own, which may be killed."""

import shutil
import subprocess
import time
from pathlib import Path

import docker

from matrix.executors import owner
from matrix.executors.docker import labels
from tests.chaos.scene import Scene, kill
from tests.executors.second_daemon import SecondDaemon
from tests.store import postgres


class Cluster:
    """A cluster in `folder`, reached by a socket there. It is started again after a kill; what was committed is kept."""

    def __init__(self, folder: Path) -> None:
        self._data, self._folder = folder / "data", folder
        self.url = f"postgresql://postgres@/chaos?host={folder}"
        if not self._data.exists():
            folder.mkdir(parents=True, exist_ok=True)
            if postgres._account():
                shutil.chown(folder, "postgres")
            folder.chmod(0o755)
            postgres._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust")
            self.start()
            postgres._run("createdb", "-h", str(folder), "-U", "postgres", "chaos")

    def start(self) -> None:
        """Start it and wait until it answers, recovered."""
        options = f"-k {self._folder} -c listen_addresses=''"
        for _ in range(60):
            try:
                postgres._run(
                    "pg_ctl", "-D", str(self._data), "-l", str(self._folder / "log"), "-w", "-o", options, "start"
                )
            except subprocess.CalledProcessError:
                time.sleep(1)  # a backend of the killed one still holds its shared memory
            else:
                return
        raise AssertionError((self._folder / "log").read_text()[-2000:])

    def alive(self) -> bool:
        pid = self._pid()
        return pid is not None and Path(f"/proc/{pid}").exists()

    def strike(self, scene: Scene) -> bool:
        """kill -9 of the postmaster; it is away for two seconds, and longer than the first tries to store."""
        if not self.alive():
            return False
        kill(self._pid() or 0)
        time.sleep(2)
        self.start()
        return True

    def stop(self) -> None:
        if self.alive():
            postgres._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def _pid(self) -> int | None:
        try:
            return int((self._data / "postmaster.pid").read_text().splitlines()[0])
        except (OSError, ValueError, IndexError):
            return None


class Daemon:
    """A Docker daemon in `folder` with the base image; its containers outlive it. Needs root, and a short path."""

    def __init__(self, folder: Path, base_image: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._second = SecondDaemon(folder)
        self.host = self._second.host
        client = self._second.start()
        if not client.images.list(base_image):
            shared = docker.from_env()
            client.images.load(shared.images.get(base_image).save(named=True))
            shared.close()
        client.close()

    def strike(self, scene: Scene) -> bool:
        """kill -9 of dockerd and its containerd; away for some seconds."""
        self._second.kill()
        self._second.start().close()
        return True

    def strike_container(self, scene: Scene) -> bool:
        """kill -9 of an engine's container, as an out-of-memory killer or a person would."""
        client = docker.DockerClient(base_url=self.host)
        try:
            running = client.containers.list(ignore_removed=True, filters={"label": "org.specmatrix.run"})
            for container in running[:1]:
                container.kill()
            return bool(running)
        except docker.errors.APIError:
            return False  # it ended by itself just now
        finally:
            client.close()

    def left(self) -> list[str]:
        """Containers whose maker has ended; networks and volumes that no fresh daemon has; half-made image stages."""
        client = docker.DockerClient(base_url=self.host)
        try:
            found = client.containers.list(all=True, ignore_removed=True)
            dead = [f"container {c.name}" for c in found if not owner.alive(c.labels.get(labels.OWNER, ""))]
            dead += [f"network {n.name}" for n in client.networks.list() if n.name not in ("bridge", "host", "none")]
            stages = client.images.list(filters={"dangling": True, "label": [labels.STAGE]})
            dead += [f"stage {i.short_id}" for i in stages if not owner.alive(i.labels.get(labels.OWNER, ""))]
            return dead + [f"volume {v.name}" for v in client.volumes.list()]
        finally:
            client.close()

    def close(self) -> None:
        self._second.close()
