"""A PostgreSQL cluster of our own, which may be killed."""

import shutil
import subprocess
import time
from pathlib import Path

from tests.chaos.scene import Scene, kill
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
