"""A connection to the Docker daemon, and its errors in our words."""

from collections.abc import Iterator
from contextlib import contextmanager

import docker
import requests
import urllib3
from docker import DockerClient
from docker.errors import APIError, DockerException

from matrix.core.errors import EnvironmentMismatchError
from matrix.executors.docker import failures

AWAY = (requests.exceptions.RequestException, urllib3.exceptions.HTTPError, ConnectionError)
"""What calls raise while no daemon answers. APIError is a RequestException too: catch it before these."""

# A daemon that is there says so at once; removing an image of several GB on a busy disk takes minutes.
_PING_S = 15
_CALL_S = 300

_HINT = 'start Docker, see that your user may use its socket (group `docker`), or set executor = "venv"'


def connect() -> DockerClient:
    """A client of the daemon that the environment names; raises EnvironmentMismatchError when none answers."""
    client = None
    try:
        client = docker.from_env(timeout=_PING_S)
        client.ping()
        client.api.timeout = _CALL_S
    except (DockerException, ValueError, *AWAY) as exc:  # ValueError: DOCKER_HOST is no address
        if client is not None:
            client.close()
        raise EnvironmentMismatchError(f"no Docker daemon answers: {_innermost(exc)}", hint=_HINT) from exc
    return client


def daemon_answers() -> bool:
    """True when a Docker daemon answers now; what `executor = "auto"` asks."""
    try:
        connect().close()
    except EnvironmentMismatchError:
        return False
    return True


@contextmanager
def speaking(doing: str) -> Iterator[None]:
    """Turns errors of the daemon into InfraError or EnvironmentMismatchError; `doing` completes "while ..."."""
    try:
        yield
    except APIError as exc:
        raise failures.refusal(exc.explanation or str(exc), doing) from exc
    except AWAY as exc:
        raise failures.away(doing, _innermost(exc)) from exc
    except DockerException as exc:
        raise failures.refusal(str(exc), doing) from exc


def _innermost(exc: BaseException) -> str:
    """The first cause: the layers above it only repeat it in longer words."""
    while (inner := exc.__cause__ or exc.__context__) is not None:
        exc = inner
    return str(exc) or type(exc).__name__
