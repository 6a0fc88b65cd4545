"""What a user may set about images and containers."""

from dataclasses import dataclass
from pathlib import Path

from matrix.executors.caplog import CAP


@dataclass(frozen=True, slots=True)
class DockerSettings:
    """`base_image`, `wheel_dir` (wheels offered before any index) and `ca_bundle` (PEM, trusted in the build) are build
    inputs. `memory_gib` and `shm_gib` outrank the launch plan where given. `pids_limit` is for a server without GPUs;
    each GPU adds four times as many. `network` is the Docker network of served
    containers, `build_network` that of build steps; None means the daemon's default. `gpu_uuids` are the GPUs that a
    cell may get, in that order; empty lets the daemon choose. `grace_s` is the time between SIGTERM and SIGKILL,
    `patience_s` how long a daemon that does not answer is waited for.
    `log_cap` bounds a server's log, in bytes. `mirror` is a registry of one's own and a path in it, to which every
    image that is used is copied; empty is none.
    """

    base_image: str = "debian:bookworm-slim"
    wheel_dir: Path | None = None
    ca_bundle: Path | None = None
    memory_gib: float | None = None
    shm_gib: float | None = None
    pids_limit: int = 1024
    network: str | None = None
    build_network: str | None = None
    gpu_uuids: tuple[str, ...] = ()
    grace_s: float = 20.0
    patience_s: float = 15.0
    log_cap: int = CAP
    mirror: str = ""
