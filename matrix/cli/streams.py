"""Standard output and error that outlive their reader: `matrix results | head` ends with the verb's own exit code."""

import errno
import io
import os
import sys
from typing import TextIO

_GONE = frozenset({errno.EPIPE, errno.EIO})
"""A closed pipe; a terminal that hung up."""


class Lasting(io.TextIOWrapper):
    """Text that nobody reads any more is dropped, so that a sweep goes on and a verb still says its exit code.

    Other failures, a full disk for one, stay errors.
    """

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._drop(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._drop(error)

    def _drop(self, error: OSError) -> None:
        if error.errno not in _GONE:
            raise error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def outlive_readers() -> None:
    """Replace the process's own standard output and error by such streams; others (a test's) are left alone."""
    if sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__:
        sys.stdout, sys.stderr = _lasting(sys.stdout), _lasting(sys.stderr)


def _lasting(stream: TextIO | None) -> TextIO:
    """The stream as it was set up, only lasting; standard streams may be closed from the start."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # type: ignore[return-value]
    encoding, errors, line_buffering = stream.encoding, stream.errors, stream.line_buffering
    return Lasting(stream.detach(), encoding=encoding, errors=errors, line_buffering=line_buffering)
