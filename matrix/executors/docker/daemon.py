"""What a check of this machine asks the Docker daemon."""

from dataclasses import dataclass
from pathlib import Path

from docker import DockerClient

from matrix.executors import owner
from matrix.executors.docker import labels
from matrix.executors.docker.client import connect, speaking


@dataclass(frozen=True, slots=True)
class Daemon:
    """`root` is where it keeps images, on its own host. `gpus`: NVIDIA's runtime or a CDI device is registered.

    `left` names containers of runs whose owner has ended.
    """

    version: str
    root: Path
    gpus: bool
    left: list[str]


def daemon() -> Daemon:
    """The daemon that the environment names; raises EnvironmentMismatchError or InfraError when it does not answer."""
    client = connect()
    try:
        with speaking("asking what it has"):
            return _asked(client)
    finally:
        client.close()


def _asked(client: DockerClient) -> Daemon:
    info = client.info()
    known = [*(info.get("Runtimes") or ()), *map(str, info.get("DiscoveredDevices") or ())]
    found = client.containers.list(
        all=True, ignore_removed=True, filters={"label": [f"{labels.MANAGED}=1", labels.OWNER]}
    )
    left = [c.name or c.short_id for c in found if not owner.alive(c.labels[labels.OWNER])]
    return Daemon(
        version=str(info.get("ServerVersion") or "unknown"),
        root=Path(str(info.get("DockerRootDir") or "/var/lib/docker")),
        gpus=any("nvidia" in name for name in known),
        left=left,
    )
