"""Image files as the data URIs that prompts carry."""

import base64
import hashlib
from collections.abc import Callable

from matrix.core.errors import ConfigError, Where

LARGEST = 4 * 2**20
"""Bytes of one image file: requests carry it, and the database keeps it with its workload."""

ReadImage = Callable[[str], bytes]

_TYPES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}


def data_uri(name: str, sha256: str | None, read: ReadImage, where: Where) -> str:
    """`data:image/...;base64,...` of the image called `name`, its hash checked where one is given.

    Raises ConfigError at `where` for a file that cannot be read, is no image, is too large or has another hash.
    """
    try:
        content = read(name)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        hint = "give the image's path beside this file"
        raise ConfigError(f"`{name}` cannot be read: {cause}", hint=hint, where=where) from error
    kind = _type(content)
    if kind is None:
        raise ConfigError(f"`{name}` is no PNG, JPEG, GIF or WebP file", where=where)
    if len(content) > LARGEST:
        raise ConfigError(f"`{name}` is larger than {LARGEST >> 20} MiB", hint="scale it down", where=where)
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found != sha256.lower():
        raise ConfigError(f"`{name}` has the hash {found}, not {sha256}", hint="the image was changed", where=where)
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _type(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((name for magic, name in _TYPES.items() if content.startswith(magic)), None)
