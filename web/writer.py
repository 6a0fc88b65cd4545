"""What the dashboard may change. Any object with these methods will do."""

from typing import Protocol

from matrix.core.ack import Ack


class Writer(Protocol):
    """Checks tokens, and writes. What does not exist raises NotFoundError, what cannot be ConfigError."""

    def check(self, token: str, /) -> str | None:
        """The name of the token that this text is; None where no such token stands."""

    def stands(self, name: str, /) -> bool:
        """True until the token of that name is revoked."""

    def acknowledge(self, flip_id: int, /, reason: str, scope: str, until: str) -> list[Ack]:
        """Acknowledge a standing regression; an empty scope is its cell, an empty `until` for good."""

    def end_acknowledgement(self, ack_id: int, /) -> None:
        """End one that holds."""
