"""Where things are inside an image, and where the Dockerfiles are on this host."""

from pathlib import Path

import matrix
from matrix.core.errors import InfraError

LOCK = "/opt/engine/lock.txt"
HOME = "/home/engine"
TARGET = "/models/target"
DRAFT = "/models/draft"
PORT = 8000


def overlay_dockerfile(package: str) -> str:
    """The Dockerfile that lays a commit of this package over an image."""
    return f"{package.partition('.')[0]}-commit.Dockerfile"


def dockerfile_text(name: str) -> str:
    """The Dockerfile called `name`: beside the package once installed, in the project's `dockerfiles` before that."""
    package = Path(matrix.__file__).parent
    for folder in (package / "_dockerfiles", package.parent / "dockerfiles"):
        if name and (folder / name).is_file():
            return (folder / name).read_text()
    raise InfraError(f"no Dockerfile called {name!r}", hint="the installation is incomplete: install specmatrix again")
