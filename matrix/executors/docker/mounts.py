"""Model folders as read-only mounts."""

from pathlib import Path

from docker.types import Mount


def model_mounts(folder: str, at: str) -> list[Mount]:
    """Read-only mounts that show `folder` at `at`.

    One mount does, unless a link leads out of the folder (as in the model hub's cache, whose snapshots link to blobs):
    then every file is mounted by itself, since a link's end would be missing inside.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        return [_mount(root, at)]
    files = sorted(path for path in root.rglob("*") if not path.is_dir())
    if all(path.resolve().is_relative_to(root) for path in files):
        return [_mount(root, at)]
    return [_mount(path.resolve(), f"{at}/{path.relative_to(root).as_posix()}") for path in files]


def _mount(source: Path, at: str) -> Mount:
    return Mount(target=at, source=str(source), type="bind", read_only=True)
