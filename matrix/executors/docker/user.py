"""Who a server runs as inside its container."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from matrix.core.errors import EnvironmentMismatchError
from matrix.executors.docker.paths import HOME

_READ, _ENTER = 4, 5


@dataclass(frozen=True, slots=True)
class User:
    """`uid`, `gid` and further groups inside, and the variables that name user and home where the image does not.

    `guest` is True when that is another user than the one who runs this, and so may not read all that this one may.
    """

    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    guest: bool = False

    def check_readable(self, folders: Iterable[str]) -> None:
        """Raises EnvironmentMismatchError for a file that the server could not read: else that would look like a crash
        of the engine.
        """
        for path in (p for folder in folders for p in _files(Path(folder)) if self.guest):
            if not self._may(path):
                cause = f"{path} cannot be read inside a published image, whose root user has no capabilities here"
                raise EnvironmentMismatchError(cause, hint=f"let your group read it: chmod -R g+rX {path}")

    def _may(self, path: Path) -> bool:
        status = path.stat()
        bits = status.st_mode & 7
        if status.st_gid in (self.gid, *self.groups):
            bits = status.st_mode >> 3 & 7
        if status.st_uid == self.uid:
            bits = status.st_mode >> 6 & 7
        wanted = _ENTER if path.is_dir() else _READ
        return bits & wanted == wanted


def container_user(*, published: bool, mapped: bool) -> User:
    """This process's own user, so that a server reads the models as the user does.

    Published images are made for root, and parts of them can be read by root alone; there root joins this user's group.
    A daemon that maps users (`mapped`) runs everything as 0, which is this user.
    """
    env = {"HOME": HOME, "USER": "engine", "LOGNAME": "engine"} if published else {}
    uid, gid = os.getuid(), os.getgid()
    if mapped:
        return User(0, 0, env=env)
    if published:
        return User(0, 0, (gid,) if gid else (), env, guest=uid != 0)
    return User(uid, gid)


def _files(folder: Path) -> Iterable[Path]:
    root = folder.resolve()
    return [root, *root.rglob("*")] if root.is_dir() else []
