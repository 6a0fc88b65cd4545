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
        r"No solution found|No matching distribution found|Could not find a version|ResolutionImpossible",
    ),
)

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
    """The line that says most: the deepest cause of an uv error, else the last error line, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line.removeprefix("cause:").strip() for line in lines if line.startswith("cause:")]
    errors = [re.sub(r"^(?:error|ERROR):\s*", "", line) for line in lines if re.match(r"(?:error|ERROR):", line)]
    if causes and errors:
        return f"{errors[-1]}: {causes[-1]}"[:400]
    return (errors or lines or ["the installer said nothing"])[-1][:400]


def excerpt(text: str, lines: int = 20) -> str:
    """The last lines of the output."""
    return "\n".join(text.strip().splitlines()[-lines:])
