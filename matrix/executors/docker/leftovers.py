"""What killed processes left on the daemon: containers, and untagged build stages that may hold credentials."""

import time

from docker import DockerClient
from docker.errors import APIError, NotFound
from docker.models.containers import Container

from matrix.executors import owner
from matrix.executors.docker import labels, relay
from matrix.executors.docker.client import AWAY, speaking

_MINE = f"{labels.MANAGED}=1"


def reap(client: DockerClient) -> list[str]:
    """Remove containers and build stages whose owner is known to have ended; one line for each thing removed."""
    with speaking("looking for leftovers"):
        containers = client.containers.list(all=True, ignore_removed=True, filters={"label": [_MINE, labels.OWNER]})
        gone = [_removed(c) for c in containers if not owner.alive(c.labels[labels.OWNER])]
        gone += [_unbuilt(client, name) for name in _dead_builders(client)]
    return [line for line in gone if line]


def _dead_builders(client: DockerClient) -> list[str]:
    stages = client.images.list(filters={"label": [_MINE, labels.STAGE], "dangling": True})
    owners = {stage.labels.get(labels.OWNER, "") for stage in stages}
    return sorted(name for name in owners if name and not owner.alive(name))


def _unbuilt(client: DockerClient, name: str) -> str:
    return f"removed the unfinished image build of {name}" if remove_stages(client, f"{labels.OWNER}={name}") else ""


def remove_stages(client: DockerClient, label: str) -> bool:
    """Remove the untagged build stages with this label; True when there were any. Never raises for a busy daemon:
    what cannot be removed now is found by the next `reap`.
    """
    try:
        answer = client.images.prune(filters={"dangling": True, "label": [label, f"{labels.STAGE}=build"]})
    except (APIError, *AWAY):
        return False
    return bool(answer.get("ImagesDeleted"))


def clear_build(client: DockerClient, build_id: str) -> None:
    """Remove what one build of this process leaves on the daemon besides its image; quiet, as an error may fly."""
    mine = f"{labels.BUILD}={build_id}"
    try:
        for container in client.containers.list(all=True, ignore_removed=True, filters={"label": mine}):
            remove(container)
    except (APIError, *AWAY):
        return
    remove_stages(client, mine)


def discard(client: DockerClient, run_id: str) -> None:
    """Remove this process's containers of one run, whatever state they are in; quiet, for use while an error flies."""
    mine = [_MINE, f"{labels.RUN}={run_id}", f"{labels.OWNER}={owner.me()}"]
    try:
        for container in client.containers.list(all=True, ignore_removed=True, filters={"label": mine}):
            remove(container)
    except (APIError, *AWAY):
        return


def remove(container: Container) -> None:
    """Kill and remove; fine when it is gone or being removed by someone else."""
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return
    except APIError as exc:
        if exc.status_code != 409:
            raise
        _wait_until_gone(container)


def _wait_until_gone(container: Container, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            container.reload()
        except NotFound:
            return
        time.sleep(0.2)


def _removed(container: Container) -> str:
    """Stop softly first: the server may still be writing."""
    run_id = container.labels.get(labels.RUN, "?")
    try:
        container.stop(timeout=5)
    except NotFound:
        return ""
    except APIError:
        pass
    remove(container)
    relay.remove(container.labels.get(labels.RELAY, ""))
    return f"removed container {container.short_id} of run {run_id}, left by {container.labels[labels.OWNER]}"
