"""What the checks ask of the machine, each of which can be replaced."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from matrix.app.folders import cache_dir
from matrix.core.index import IndexSettings
from matrix.executors import owner, venv_reap
from matrix.executors.docker.daemon import Daemon, daemon
from matrix.sources import gpu_use, hardware, hub, package_index, pip_settings


@dataclass(frozen=True, slots=True)
class Asks:
    """`index_clock` raises InfraError when no index answers, `daemon` a MatrixError when no daemon does."""

    daemon: Callable[[], Daemon] = daemon
    gpus: Callable[[], hardware.Gpus] = hardware.gpus
    in_use: Callable[[], Mapping[str, str]] = gpu_use.in_use
    free: Callable[[Path], int] = hardware.free_bytes
    settings: Callable[[], IndexSettings] = pip_settings.read
    index_clock: Callable[[IndexSettings], float | None] = package_index.clock
    cache: Callable[[], Path] = cache_dir
    hub: Callable[[], Path] = hub.cache_folder
    now: Callable[[], float] = time.time
    servers_left: Callable[[], list[str]] = venv_reap.left
    alive: Callable[[str], bool] = owner.alive
