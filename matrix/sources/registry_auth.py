"""Logging in to an image registry: the challenge it sends, and the token or password that answers it."""

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import requests

from matrix.core.errors import InfraError

_PARAMETER = re.compile(r'(\w+)="([^"]*)"')
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HUB_KEY = "https://index.docker.io/v1/"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A `WWW-Authenticate` header: its scheme in lower case, and what it asks for."""

    scheme: str
    parameters: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, header: str) -> "Challenge":
        scheme, _, rest = header.strip().partition(" ")
        return cls(scheme.lower(), dict(_PARAMETER.findall(rest)))


def authorization(
    http: requests.Session, challenge: Challenge, host: str, docker_config: Path | None, timeout_s: float
) -> str:
    """The `Authorization` header that answers the challenge, with the user's login from Docker's config where one is.

    Raises requests' errors, ValueError for an answer without a token, InfraError for a challenge that cannot be met.
    """
    login = stored_login(host, docker_config)
    if challenge.scheme == "basic" and login:
        return f"Basic {login}"
    realm = challenge.parameters.get("realm", "")
    if challenge.scheme != "bearer" or not _safe(realm):
        cause = f"the registry {host} wants a login of the kind {challenge.scheme or 'unnamed'!r}"
        raise InfraError(cause, hint=f"`docker login {host}`; credential helpers are not asked")
    asked = {key: challenge.parameters[key] for key in ("service", "scope") if key in challenge.parameters}
    headers = {"Authorization": f"Basic {login}"} if login else {}
    answer = http.get(realm, params=asked, headers=headers, timeout=timeout_s)
    answer.raise_for_status()
    body = answer.json()
    token = (body.get("token") or body.get("access_token")) if isinstance(body, dict) else None
    if isinstance(token, str):
        return f"Bearer {token}"
    raise ValueError("no token in the answer to a login")


def stored_login(host: str, docker_config: Path | None = None) -> str | None:
    """The base64 of `user:password` that `docker login` wrote into config.json itself, None where it did not."""
    folder = docker_config or Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker")
    keys = (_HUB_KEY,) if host == "registry-1.docker.io" else (host, f"https://{host}", f"https://{host}/v2/")
    with suppress(OSError, ValueError, AttributeError):
        auths = json.loads((folder / "config.json").read_text()).get("auths") or {}
        return next((str(auths[key]["auth"]) for key in keys if (auths.get(key) or {}).get("auth")), None)
    return None


def _safe(realm: str) -> bool:
    """A login goes over TLS, or does not leave this host."""
    parts = urlsplit(realm)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
