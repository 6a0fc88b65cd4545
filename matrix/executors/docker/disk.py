"""What the images that came to this host through us take on disk, and their removal."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from docker import DockerClient
from docker.errors import APIError, ImageNotFound
from filelock import FileLock, Timeout

from matrix.executors.disk import IN_USE, Folders, Held
from matrix.executors.docker.client import connect, speaking
from matrix.executors.docker.records import ImageRecord, Records
from matrix.executors.uses import IMAGE, Use
from matrix.plan.eviction import Thing


def images(folders: Folders, held: Held) -> tuple[list[Thing], int]:
    """Images that were pulled or built for this database, and the bytes that they share, of each base the largest part.

    Raises EnvironmentMismatchError when no daemon answers, InfraError when it refuses.
    """
    client = connect()
    try:
        with speaking("asking what takes room"):
            rows = {str(row["Id"]): row for row in client.df().get("Images") or ()}
            return _measured(client, folders, held, rows)
    finally:
        client.close()


def remove_image(thing: Thing, folders: Folders) -> bool:
    """Remove all names of the image, and so the image; False where it is in use, or was used meanwhile."""
    client = connect()
    try:
        record = next(r for r in _records(folders) if r.image_id == thing.ref)
        lock = folders.state / "locks" / f"image-{record.recipe[:12]}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock, timeout=0), speaking("removing an image"):
            use = folders.uses.all(IMAGE).get(_plain(thing.ref), Use())
            return (use.at or 0.0) <= thing.used_at and _remove(client, thing.ref, folders)
    except Timeout:
        return False
    finally:
        client.close()


def _remove(client: DockerClient, image_id: str, folders: Folders) -> bool:
    """By its names, which the daemon refuses for an image that a container or another image needs."""
    attrs = client.images.get(image_id).attrs
    for name in (*(attrs.get("RepoTags") or ()), *(attrs.get("RepoDigests") or ())):
        try:
            client.images.remove(name)
        except ImageNotFound:
            continue  # a digest goes with the last tag of its repository
        except APIError as error:
            if error.status_code == 409:
                return False
            raise
    with suppress(ImageNotFound):
        client.images.remove(image_id)
    folders.uses.forget(IMAGE, image_id)
    (folders.cache / "packages" / f"{_plain(image_id)}.json").unlink(missing_ok=True)
    return True


def _measured(client: DockerClient, folders: Folders, held: Held, rows: dict[str, Any]) -> tuple[list[Thing], int]:
    of_image: dict[str, list[ImageRecord]] = defaultdict(list)
    for record in _records(folders):
        if record.image_id in rows:
            of_image[record.image_id].append(record)
    uses, found = folders.uses.all(IMAGE), []
    shared: dict[str, int] = defaultdict(int)
    for image_id, records in of_image.items():
        row, use = rows[image_id], uses.get(_plain(image_id), Use())
        common = max(0, int(row.get("SharedSize") or 0))
        holds = tuple(_holds(row, records, use, held))
        size = int(row["Size"]) - common
        found.append(Thing(IMAGE, image_id, size, use.at or float(row.get("Created") or 0), holds, records[0].name))
        with suppress(ImageNotFound):
            layers = client.images.get(image_id).attrs.get("RootFS", {}).get("Layers") or [image_id]
            shared[layers[0]] = max(shared[layers[0]], common)
    return found, sum(shared.values())


def _holds(row: dict[str, Any], records: Sequence[ImageRecord], use: Use, held: Held) -> list[str]:
    holds = [reason for digest in sorted({r.digest for r in records}) for reason in held.get(digest, ())]
    holds += [IN_USE] if int(row.get("Containers") or 0) > 0 else []
    holds += [f"used by the database of {state} as well" for state in use.others]
    foreign = sorted(set(row.get("RepoTags") or ()) - {r.name for r in records} - {"<none>:<none>"})
    return [*holds, *(f"also called {name}, by somebody else" for name in foreign)]


def _records(folders: Folders) -> list[ImageRecord]:
    return [record for record in Records(folders.state / "images").all() if record.ours]


def _plain(image_id: str) -> str:
    return image_id.removeprefix("sha256:")
