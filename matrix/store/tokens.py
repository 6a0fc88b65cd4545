"""Tokens that writing requests must carry. Only their hashes are stored: who reads the database learns none of them."""

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass

from sqlalchemy import Row, select, update

from matrix.core.errors import ConfigError, NotFoundError
from matrix.store.tables import tokens
from matrix.store.transactions import Transactions, insert_new

PREFIX = "mtx_"
"""So that scanners for leaked secrets can know one."""

_BYTES = 32
_NAME_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; times are Unix seconds, None where it was never used or revoked."""

    name: str
    created_at: float
    last_used_at: float | None
    revoked_at: float | None


class Tokens:
    """Creates, checks, lists and revokes."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def create(self, name: str) -> str:
        """A new token, which is told this once. ConfigError for a name that is empty, too long, or was used before."""
        if not name.strip() or len(name) > _NAME_LENGTH:
            raise ConfigError(f"a token's name has 1 to {_NAME_LENGTH} characters", hint="name who will use it")
        token = PREFIX + secrets.token_urlsafe(_BYTES)
        row = {"name": name, "hash": hashed(token), "created_at": time.time()}
        with self._db.write() as conn:
            if not insert_new(conn, tokens, row, "name"):
                raise ConfigError(f"there is a token called `{name}` already", hint="take another name")
        return token

    def check(self, token: str) -> str | None:
        """The name of a token that stands, None for any other text. Every hash is compared, each in constant time."""
        given, now = hashed(token), time.time()
        with self._db.write() as conn:
            standing = conn.execute(select(tokens).where(tokens.c.revoked_at.is_(None))).all()
            found = [row for row in standing if hmac.compare_digest(row.hash, given)]
            if not found:
                return None
            conn.execute(update(tokens).where(tokens.c.id == found[0].id).values(last_used_at=now))
            return str(found[0].name)

    def stands(self, name: str) -> bool:
        """True for the name of a token that was made and not revoked."""
        standing = (tokens.c.name == name, tokens.c.revoked_at.is_(None))
        with self._db.read() as conn:
            return conn.execute(select(tokens.c.id).where(*standing)).first() is not None

    def revoke(self, name: str) -> None:
        """Have it count no more. NotFoundError where no token of that name stands."""
        standing = (tokens.c.name == name, tokens.c.revoked_at.is_(None))
        with self._db.write() as conn:
            if conn.execute(update(tokens).where(*standing).values(revoked_at=time.time())).rowcount != 1:
                raise NotFoundError(f"no token called `{name}` stands", hint="`matrix token list` names them")

    def all(self) -> list[Token]:
        """All tokens in the order they were made, revoked ones too."""
        with self._db.read() as conn:
            return [_token(row) for row in conn.execute(select(tokens).order_by(tokens.c.id))]


def hashed(token: str) -> str:
    """SHA-256 (hex). A token of 32 random bytes needs no slower hash: it cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def _token(row: Row[tuple[object, ...]]) -> Token:
    return Token(row.name, row.created_at, row.last_used_at, row.revoked_at)
