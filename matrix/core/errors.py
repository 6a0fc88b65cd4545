"""Errors a person can act on: where, what is wrong, and what to do next, with the exit code that tells the kind."""

from dataclasses import dataclass
from enum import IntEnum


class Exit(IntEnum):
    """Process exit codes of every verb."""

    OK = 0
    REGRESSION = 1
    USAGE = 2
    NOT_FOUND = 3
    INFRA = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Where:
    """The place an error points at; any part may be unknown."""

    file: str | None = None
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}"
        return f"{place}: {self.key}" if place and self.key else place or self.key or ""


class MatrixError(Exception):
    """Base of all expected errors; prints as one line: place, cause, next step."""

    exit_code = Exit.INFRA

    def __init__(self, cause: str, *, hint: str = "", where: Where | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint
        self.where = where or Where()

    def __str__(self) -> str:
        place = str(self.where)
        text = f"{place}: {self.cause}" if place else self.cause
        line = f"{text} ({self.hint})" if self.hint else text
        return " ".join(line.split())


class ConfigError(MatrixError):
    """The user's file or command line asks for something impossible; `others` holds further faults of the same file."""

    exit_code = Exit.USAGE
    others: tuple["ConfigError", ...] = ()


class NotFoundError(MatrixError):
    """What was asked for is not in the database."""

    exit_code = Exit.NOT_FOUND


class InfraError(MatrixError):
    """The machine around us failed: disk, daemon, port, network. Never evidence about an engine."""

    exit_code = Exit.INFRA


class BuildError(MatrixError):
    """An engine's artifact could not be made; `excerpt` holds the builder's own last words."""

    def __init__(self, cause: str, *, hint: str = "", excerpt: str = "") -> None:
        super().__init__(cause, hint=hint)
        self.excerpt = excerpt


class EnvironmentMismatchError(MatrixError):
    """This host cannot run the artifact (no GPU runtime, wrong driver, missing library)."""
