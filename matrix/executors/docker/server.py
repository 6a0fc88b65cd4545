"""A served container: how it is doing, and its end."""

import atexit
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from docker import DockerClient
from docker.errors import APIError, NotFound
from docker.models.containers import Container

from matrix.core.errors import InfraError
from matrix.core.ports import ServerExit
from matrix.executors.docker import failures, labels, leftovers
from matrix.executors.docker.client import AWAY, speaking
from matrix.executors.docker.logs import LogFollower
from matrix.executors.docker.paths import PORT
from matrix.executors.docker.relay import Relay
from matrix.executors.docker.settings import DockerSettings

_DRAIN_S = 10.0
_NO_PORT = "http://127.0.0.1:0"


class DockerServer:
    """See `matrix.core.ports.Server`. `url` has port 0 when the container ended before its port could be read."""

    def __init__(
        self,
        client: DockerClient,
        container: Container,
        follower: LogFollower,
        command: tuple[str, ...],
        settings: DockerSettings,
        relay: Relay | None = None,
    ) -> None:
        self.command = command
        self._client = client
        self._container = container
        self._follower = follower
        self._settings = settings
        self._ended: ServerExit | None = None
        self._removed = False
        self._relay = relay
        self.url = relay.url if relay is not None else _url(container)
        _running.add(self)

    def poll(self) -> ServerExit | None:
        """None while it runs, else how it ended, with its log complete.

        InfraError when the daemon is away or the log cannot be kept.
        """
        if self._removed or self._ended is not None:
            return self._ended
        if self._follower.error is not None:
            raise InfraError(f"cannot write the server's log: {self._follower.error}", hint="is the disk full?")
        if not self._reload("looking at a container"):
            self._ended = ServerExit(None, detail="the container was removed by someone else")
            return self._ended
        state = self._container.attrs["State"]
        if state["Status"] in ("created", "running", "restarting", "paused"):
            return None
        if self._follower.daemon_was_away:
            raise InfraError(f"the Docker daemon restarted and ended the container of {self._run_id}", hint="run again")
        self._follower.finish(_DRAIN_S)
        self._ended = exit_of(state)
        return self._ended

    def stop(self) -> ServerExit | None:
        """SIGTERM, after the grace SIGKILL, then remove; the log is complete when this returns."""
        if self._removed:
            return self._ended
        # A container that ended by itself keeps its own account of it; what our signals do says nothing about it.
        asked = self._ended is None
        if self._reload("stopping a container"):
            asked = asked and self._container.status == "running"
            self._end()
            self._follower.finish(_DRAIN_S)
            state = self._container.attrs["State"]
            self._ended = self._ended or (ServerExit(state["ExitCode"]) if asked else exit_of(state))
            with speaking("removing a container"):
                leftovers.remove(self._container)
        self._removed = True
        self._close_relay()
        _running.discard(self)
        return self._ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.stop()
        except InfraError as exc:
            if error is None:
                raise
            error.add_note(f"also: {exc}; the next `reap` removes the container of run {self._run_id}")

    def drop(self) -> None:
        """Remove the container by force, without a word; for an interpreter that is ending."""
        leftovers.discard(self._client, self._run_id)
        self._close_relay()

    def _close_relay(self) -> None:
        if self._relay is not None:
            self._relay.close()

    @property
    def _run_id(self) -> str:
        return self._container.labels.get(labels.RUN, "?")

    def _end(self) -> None:
        with speaking("stopping a container"):
            try:
                self._container.stop(timeout=max(int(self._settings.grace_s), 1))
                self._container.reload()
            except NotFound:
                return

    def _reload(self, doing: str) -> bool:
        """Ask the daemon anew, waiting for one that restarts; False when the container is gone."""
        deadline = time.monotonic() + self._settings.patience_s
        while True:
            try:
                self._container.reload()
                return True
            except NotFound:
                return False
            except APIError as exc:
                raise failures.refusal(str(exc.explanation or exc), doing) from exc
            except AWAY as exc:
                self._follower.daemon_was_away = True
                if time.monotonic() > deadline:
                    raise failures.away(doing, exc) from exc
            time.sleep(0.5)


def start(
    client: DockerClient,
    request: dict[str, Any],
    log: Path,
    command: tuple[str, ...],
    settings: DockerSettings,
    relay: Relay | None = None,
) -> DockerServer:
    """Create and start the container of `request`; on any failure, Ctrl-C too, none is left behind."""
    try:
        with speaking("starting a container"):
            container = client.containers.create(**request)
            container.start()
            container.reload()
        follower = LogFollower(container, log, settings.log_cap)
        follower.start()
        return DockerServer(client, container, follower, command, settings, relay)
    except BaseException:
        # Looked up by label: Ctrl-C may come after the daemon made it and before we were told its id.
        leftovers.discard(client, request["labels"][labels.RUN])
        raise


def exit_of(state: dict[str, Any]) -> ServerExit:
    """How a container ended, from the daemon's `State`.

    `OOMKilled` is also true when only a child was killed. A server that then ends by itself ended for that reason, with
    whatever code: engines have been seen to exit 0 after their core died. So the flag counts, and `detail` says which.
    """
    code, oom = state.get("ExitCode"), bool(state.get("OOMKilled"))
    if not oom:
        return ServerExit(code, detail=state.get("Error") or "")
    whole = code == 137
    victim = "the server" if whole else f"a process of the server, which then ended with exit code {code},"
    return ServerExit(code, oom=True, detail=f"{victim} was killed at the container's memory limit")


def _url(container: Container) -> str:
    bound = (container.attrs["NetworkSettings"].get("Ports") or {}).get(f"{PORT}/tcp")
    return f"http://{bound[0]['HostIp']}:{bound[0]['HostPort']}" if bound else _NO_PORT


_running: weakref.WeakSet[DockerServer] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """The last net: a container that is still up when the interpreter ends is removed by force."""
    for server in list(_running):
        server.drop()
