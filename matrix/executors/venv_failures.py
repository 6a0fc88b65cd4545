"""What a package installer's last words mean: its machine failed, or what was asked for does not exist.

The phrases are those of uv 0.5 to 0.13 and pip 23 to 26.
"""

import re
from enum import Enum
from pathlib import Path

from matrix.core.errors import BuildError, InfraError, MatrixError


class Failure(Enum):
    """Why an installer gave up."""

    DISK = "disk"
    NETWORK = "network"
    DENIED = "denied"
    UNSATISFIABLE = "unsatisfiable"
    OTHER = "other"


# In order: what the machine did outranks what the resolver concluded from it. uv's offline hint follows a resolution
# failure, and a host without the package answers much like one that may not be asked.
_PATTERNS = (
    (Failure.DISK, r"No space left on device|os error 28\b|Disk quota exceeded|os error 122\b"),
    (
        Failure.NETWORK,
        r"dns error|failed to lookup address|Name or service not known|Temporary failure in name resolution"
        r"|tcp connect error|Connection refused|error sending request|operation timed out|Read timed out"
        r"|network was disabled|NewConnectionError|ConnectTimeoutError|Max retries exceeded|invalid peer certificate"
        r"|CERTIFICATE_VERIFY_FAILED|Network is unreachable|HTTP status server error|\b50[0234] (?:Server|Bad|Service)",
    ),
    (
        Failure.DENIED,
        r"\b40[137] (?:Unauthorized|Forbidden|Proxy Auth)|valid authentication credentials|\b40[13] Client",
    ),
    (
        Failure.UNSATISFIABLE,
        r"No solution found|Failed to resolve|No matching distribution|Could not find a version|ResolutionImpossible",
    ),
)

_ERROR = re.compile(r"(?:error|ERROR):\s*")
_CAUSE = re.compile(r"\s+cause:\s*")

_NEXT = {
    Failure.DISK: "free space there or choose another cache folder, then run again",
    Failure.NETWORK: "check the network, the proxy and the index URLs of `pip config list`, then run again",
    Failure.DENIED: "check the credentials of the index in `pip config list` or the .netrc file",
    Failure.UNSATISFIABLE: "check the version, and whether the index has builds for this Python and platform",
    Failure.OTHER: "read the end of the build log",
}


def kind(text: str) -> Failure:
    """The most telling failure named in an installer's output."""
    return next((failure for failure, pattern in _PATTERNS if re.search(pattern, text)), Failure.OTHER)


def error(what: str, text: str, log: Path) -> MatrixError:
    """InfraError or BuildError for an installer's output (already without credentials)."""
    failure = kind(text)
    cause = f"cannot install {what}: {sentence(text)}"
    hint = f"{_NEXT[failure]}; log: {log}"
    if failure in (Failure.DISK, Failure.NETWORK, Failure.DENIED):
        return InfraError(cause, hint=hint)
    return BuildError(cause, hint=hint, excerpt=excerpt(text))


def sentence(text: str) -> str:
    """The last error with its first and its deepest cause, else the last line."""
    lines = _unwrapped(text)
    start = max((n for n, line in enumerate(lines) if _ERROR.match(line)), default=None)
    if start is None:
        return (lines or ["the installer said nothing"])[-1][:400]
    causes = [_CAUSE.sub("", line) for line in lines[start:] if _CAUSE.match(line)]
    parts = [_ERROR.sub("", lines[start]), *causes[:1], *causes[1:][-1:]]
    return ": ".join(part.rstrip(":") for part in parts)[:400]


def _unwrapped(text: str) -> list[str]:
    """Lines with their indented continuations joined; marks of older releases spelled as the newer spell them."""
    joined: list[str] = []
    for raw in text.splitlines():
        line = re.sub(r"^\s*×\s*", "error: ", re.sub(r"^\s*(?:╰─▶|Caused by:)\s*", "  cause: ", raw))
        if line[:1] == " " and joined and not _CAUSE.match(line):
            joined[-1] += f" {line.strip()}"
        elif line.strip():
            joined.append(line.rstrip())
    return joined


def excerpt(text: str, lines: int = 20) -> str:
    """The last lines of the output."""
    return "\n".join(text.strip().splitlines()[-lines:])
