"""The Docker daemon's fixture, as the executor's tests have it."""

from tests.executors.conftest import docker_daemon

__all__ = ["docker_daemon"]
