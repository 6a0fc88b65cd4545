"""What is written for people to keep: whole, or as it was before."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matrix.core.errors import InfraError, Where


@contextmanager
def kept_whole(path: Path) -> Iterator[None]:
    """For a block that writes beside `path` and puts it in place last: InfraError names it when that fails."""
    try:
        yield
    except OSError as error:
        hint = "free space there or make it writable, then run the same command again; what was there is as it was"
        raise InfraError(f"cannot be written: {error.strerror or error}", hint=hint, where=Where(str(path))) from error
