"""Why an image could not be pulled, from the words of daemons and registries."""

import re

from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError, MatrixError
from matrix.executors.docker.failures import disk_full, refusal

_LOGIN = "run `docker login` for that registry, then run again"
_ABSENT = "see which tags the repository has; nightly tags are removed after about two weeks"

# In order: a rate limit is told with the status of a refusal, and a proxy's failure may mention the manifest.
_KINDS: tuple[tuple[str, type[MatrixError], str, str], ...] = (
    (
        r"toomanyrequests|rate limit|\b429\b",
        InfraError,
        "the registry's pull limit is reached for {name}",
        "wait, or `docker login`: the limit of an account is higher",
    ),
    (
        r"no matching manifest|does not match the specified platform|cannot be used on this platform",
        EnvironmentMismatchError,
        "{name} is not published for this host's architecture",
        "take a tag that is, or another host",
    ),
    (
        r"repository does not exist or may require|denied: requested access",
        InfraError,
        "{name} cannot be pulled: there is no such repository, or it may not be read without a login",
        f"check its name, or {_LOGIN}",
    ),
    (
        r"unauthorized|authentication required|no basic auth|\b401\b|\b403\b|incorrect username or password|denied",
        InfraError,
        "the registry wants a login for {name}",
        _LOGIN,
    ),
    (
        r"manifest unknown|manifest for .* not found|not found: |name unknown|repository .* not found",
        BuildError,
        "{name} is not published",
        _ABSENT,
    ),
    (
        r"no such host|dial tcp|connection refused|connection reset|i/o timeout|TLS handshake|x509|\bEOF\b"
        r"|deadline exceeded|Client\.Timeout|network is unreachable|proxyconnect|\b50[0234]\b|server misbehaving",
        InfraError,
        "the registry of {name} cannot be reached",
        "check the network and the daemon's proxy settings, then run again",
    ),
    (
        r"invalid reference format|invalid tag",
        BuildError,
        "{name} is no name of an image",
        "write it as repository:tag",
    ),
)


def pull_failure(name: str, text: str) -> MatrixError:
    """BuildError where the image does not exist, else what the machine, the network or the registry did."""
    if disk_full(text):
        return refusal(text, f"pulling {name}")
    line = " ".join(text.split())[:300]
    for pattern, kind, cause, hint in _KINDS:
        if re.search(pattern, text, re.IGNORECASE):
            return kind(f"{cause.format(name=name)}: {line}", hint=hint)
    return refusal(text, f"pulling {name}")
