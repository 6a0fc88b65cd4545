"""What was made of rows of a database, kept in the process until those rows change.

Reading ten thousand squares for a page takes a tenth of a second; nearly all of them are as they were.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Any

from sqlalchemy import Connection

_MOST = 1500
_NAME = "matrix_kept"


class Kept:
    """Values by name, each with a mark that tells two states of its rows apart. Safe to call from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[object, Any]] = OrderedDict()

    def get(self, name: Hashable, mark: object) -> Any:
        """The value kept under this name for rows of this mark; None where there is none."""
        with self._lock:
            held = self._values.get(name)
            if held is None or (held[0] is not mark and held[0] != mark):
                return None
            self._values.move_to_end(name)
            return held[1]

    def last(self, name: Hashable) -> tuple[Any, Any]:
        """The mark and the value kept last under this name, of whatever state; (None, None) where there is none."""
        with self._lock:
            return self._values.get(name, (None, None))

    def put(self, name: Hashable, mark: object, value: object) -> None:
        """Keep the value in place of an older one; those used least lately make room."""
        with self._lock:
            self._values[name] = (mark, value)
            self._values.move_to_end(name)
            while len(self._values) > _MOST:
                self._values.popitem(last=False)


def keep_for(conn: Connection, kept: Kept) -> None:
    """What is read by this connection is kept there, from now on and for as long as it is open."""
    conn.info.setdefault(_NAME, kept)


def keep_nothing(conn: Connection) -> None:
    """What this connection reads now is not kept: it may never be committed."""
    conn.info.pop(_NAME, None)


def kept_of(conn: Connection) -> Kept:
    """Of the database that the connection is open to; nothing is kept beyond the call where none was named."""
    found = conn.info.get(_NAME)
    return found if isinstance(found, Kept) else Kept()
