"""What image registries hold: the digest of a tag, and the tags of a repository, without pulling anything.

The protocol is that of the OCI distribution specification, with the token flow of Docker Hub.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests

from matrix.core.errors import ConfigError, InfraError
from matrix.sources.registry_auth import Challenge, authorization

_TIMEOUT_S = 30
_HUB = "registry-1.docker.io"
_HUB_NAMES = ("docker.io", "index.docker.io", "registry.hub.docker.com")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HOST = re.compile(r"(?:\w[\w.-]*|\[[0-9a-f:]+\])(?::\d+)?", re.ASCII)
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
# Lists first: a tag of many architectures has the list's digest, which is also what a daemon that pulls it records.
_ACCEPT = ", ".join(
    (
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)


@dataclass(frozen=True, slots=True)
class Reference:
    """`host` of the registry (with its port), the repository's path there, and a tag."""

    host: str
    repository: str
    tag: str

    @property
    def url(self) -> str:
        """The repository's address; loopback registries speak plain HTTP, as they do to a Docker daemon."""
        scheme = "http" if re.sub(r":\d+$", "", self.host) in _LOOPBACK else "https"
        return f"{scheme}://{self.host}/v2/{self.repository}"


def reference(image: str) -> Reference:
    """`image` (`[host/]repository[:tag]`) taken apart as Docker does it; ConfigError for what is no such name."""
    first, slash, rest = image.partition("/")
    named = bool(slash) and (any(sign in first for sign in ".:") or first == "localhost")
    host, path = (first, rest) if named else (_HUB_NAMES[0], image)
    path, colon, tag = path.partition(":")
    if host in _HUB_NAMES:
        host, path = _HUB, path if "/" in path else f"library/{path}"
    found = Reference(host, path, tag if colon else "latest")
    if not (_HOST.fullmatch(host) and _REPOSITORY.fullmatch(path) and _TAG.fullmatch(found.tag)):
        raise ConfigError(f"{image!r} is no name of an image", hint="write it as repository:tag, in lower case")
    return found


def digest(image: str, docker_config: Path | None = None) -> str | None:
    """The digest (`sha256:...`) that the image's tag stands for now, None when the registry has no such tag.

    Raises InfraError when the registry cannot be reached, wants a login, or limits requests. `docker_config` is the
    folder of Docker's `config.json`; None means the user's own.
    """
    ref = reference(image)
    with _asking(image), requests.Session() as http:
        # HEAD does not count as a pull where pulls are limited.
        answer = _ask(http, ref, "HEAD", f"{ref.url}/manifests/{ref.tag}", docker_config)
        if answer is None:
            return None
        named = answer.headers.get("Docker-Content-Digest")
        if named is None:
            answer = _ask(http, ref, "GET", f"{ref.url}/manifests/{ref.tag}", docker_config)
            named = f"sha256:{hashlib.sha256(answer.content).hexdigest()}" if answer is not None else None
    return named


def tags(repository: str, docker_config: Path | None = None) -> list[str] | None:
    """All tags of `[host/]repository`, as the registry orders them; None when it does not know the repository.

    Raises InfraError as `digest` does, and for an answer that is no list of tags.
    """
    ref = reference(repository)
    with _asking(repository), requests.Session() as http:
        pages = list(_pages(http, ref, docker_config))
        return [tag for page in pages for tag in _tags_of(page)] if pages else None


def _tags_of(page: requests.Response) -> list[str]:
    body = page.json()
    listed = (body.get("tags") or []) if isinstance(body, dict) else None
    if isinstance(listed, list):
        return [str(tag) for tag in listed]
    raise ValueError("no list of tags")


def _pages(http: requests.Session, ref: Reference, docker_config: Path | None) -> Iterator[requests.Response]:
    """Follows the `next` links, on the registry itself only and each once."""
    url, seen = f"{ref.url}/tags/list?n=1000", set[str]()
    while url not in seen:
        seen.add(url)
        page = _ask(http, ref, "GET", url, docker_config)
        if page is None:
            return
        yield page
        following = urljoin(url, page.links.get("next", {}).get("url", ""))
        if urlsplit(following).netloc == ref.host:
            url = following


def _ask(
    http: requests.Session, ref: Reference, method: str, url: str, docker_config: Path | None
) -> requests.Response | None:
    """The registry's answer, after logging in where it wants that; None for 404."""
    answer = http.request(method, url, headers={"Accept": _ACCEPT}, timeout=_TIMEOUT_S)
    if answer.status_code == requests.codes.unauthorized:
        challenge = Challenge.parse(answer.headers.get("WWW-Authenticate", ""))
        http.headers["Authorization"] = authorization(http, challenge, ref.host, docker_config, _TIMEOUT_S)
        answer = http.request(method, url, headers={"Accept": _ACCEPT}, timeout=_TIMEOUT_S)
    if answer.status_code == requests.codes.not_found:
        return None
    answer.raise_for_status()
    return answer


@contextmanager
def _asking(image: str) -> Iterator[None]:
    """Errors of HTTP and of its content as InfraError."""
    try:
        yield
    except requests.HTTPError as exc:
        raise _refusal(image, exc.response) from None
    except requests.Timeout:
        raise _unreachable(image, "no answer in time") from None
    except requests.exceptions.SSLError:
        raise _unreachable(image, "its certificate is not trusted") from None
    except requests.exceptions.JSONDecodeError:
        raise InfraError(f"the registry of {image} answers with what is not JSON", hint=_PROXY) from None
    except requests.RequestException as exc:
        raise _unreachable(image, type(exc).__name__) from None
    except ValueError as exc:
        raise InfraError(f"the registry of {image} answers with nonsense: {exc}", hint=_PROXY) from None


_PROXY = "is something else in its place, such as a proxy's login page?"


def _unreachable(image: str, reason: str) -> InfraError:
    return InfraError(f"the registry of {image} cannot be reached: {reason}", hint="check the network and the proxy")


def _refusal(image: str, answer: requests.Response) -> InfraError:
    code = answer.status_code
    said = f"HTTP {code} {answer.reason}"
    if code == requests.codes.too_many_requests:
        after = answer.headers.get("Retry-After")
        wait = f"wait {after} s" if after else "wait"
        return InfraError(f"the registry of {image} limits requests ({said})", hint=f"{wait}, or `docker login`")
    if code in (requests.codes.unauthorized, requests.codes.forbidden):
        cause = f"the registry of {image} wants a login, or there is no such repository ({said})"
        return InfraError(cause, hint="check the name, or `docker login`; credential helpers are not asked")
    return InfraError(f"the registry of {image} failed ({said})", hint="run again later")
