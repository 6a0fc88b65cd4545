"""What is noted on disk about each image that was used: what it is, and where a copy of it is kept."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from matrix.core.cell import digest


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """One image. `key` is the published name, or the recipe's hash and inputs of one that was built here.

    `name` is its tag on this host, `ref` and `digest` are what runs store, `image_id` names its content to a daemon.
    `mirror` is its copy as `repository@sha256:...`, empty where there is none. `ours`: it came to this host through
    us. `recipe` is the hash by which its builders lock.
    """

    key: str
    name: str
    ref: str
    digest: str
    image_id: str
    recipe: str
    mirror: str = ""
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """The records below one state folder: they outlive the images, and so lie beside the logs and not in the cache."""

    folder: Path

    def get(self, key: str) -> ImageRecord | None:
        """The record of that key, None where there is none that can be read."""
        return _read(self.folder / f"{digest(key)[:24]}.json")

    def keep(self, record: ImageRecord) -> None:
        """Write it in place of an older one; whole or not at all."""
        path = self.folder / f"{digest(record.key)[:24]}.json"
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(record), indent=1))
        part.replace(path)

    def all(self) -> Iterator[ImageRecord]:
        """Every record, in no order that means anything."""
        for path in sorted(self.folder.glob("*.json")):
            record = _read(path)
            if record is not None:
                yield record

    def of_digest(self, wanted: str) -> ImageRecord | None:
        """A record of the image that runs know by this digest."""
        return next((record for record in self.all() if record.digest == wanted), None)


def copy_name(mirror: str, name: str) -> str:
    """Repository in `mirror` for the image `name` (`[host/]repository:tag`); Docker Hub's host is left out."""
    repository = name.rpartition(":")[0] if ":" in name.rpartition("/")[2] else name
    plain = re.sub(r"^(?:index\.)?docker\.io/", "", repository)
    return f"{mirror}/{plain.replace(':', '-')}"


def copy_tag(found: str) -> str:
    """The tag of the copy of the image with this digest: one for each digest, so that no copy replaces another."""
    return found.replace(":", "-")


def _read(path: Path) -> ImageRecord | None:
    with suppress(OSError, ValueError, TypeError):
        return ImageRecord(**json.loads(path.read_text()))
    return None
