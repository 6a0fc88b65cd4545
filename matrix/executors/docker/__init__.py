"""The docker executor."""

from matrix.executors.docker.client import daemon_answers
from matrix.executors.docker.executor import DockerExecutor
from matrix.executors.docker.settings import DockerSettings

__all__ = ["DockerExecutor", "DockerSettings", "daemon_answers"]
