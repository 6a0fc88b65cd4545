"""Which published image serves a release on a driver."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from matrix.core.cell import Cell
from matrix.core.revision import Revision, RevisionKind
from matrix.engines.drivers import runs, served_cuda
from matrix.engines.quirks import Quirk

_DATED = re.compile(r"\.dev(?P<date>\d{8})\+g(?P<hash>[0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class Image:
    """`name` is repository:tag, empty where the tag needs what the revision does not tell; `cuda` what it holds."""

    name: str
    cuda: str


@dataclass(frozen=True, slots=True)
class Images:
    """`fitting` runs on the machine's driver, `newest` on some; None where no such image is known."""

    fitting: Image | None
    newest: Image | None

    @property
    def advice(self) -> str:
        """What to do where a wheel does not run on the driver; empty where no image does either."""
        name = self.fitting.name if self.fitting else ""
        return f'`install = "image"` takes {name}, which runs on it' if name else ""


def images_of(cell: Cell, repository: str, releases: Sequence[Quirk], nightlies: Sequence[Quirk]) -> Images:
    """The images of the cell's revision, by the table of its kind."""
    rows = releases if cell.revision.kind is RevisionKind.RELEASE else nightlies
    newest = image_of(rows, repository, cell.revision, "")
    return Images(image_of(rows, repository, cell.revision, served_cuda(cell.hardware)), newest)


def image_of(rows: Sequence[Quirk], repository: str, revision: Revision, served: str) -> Image | None:
    """The image with the newest CUDA version that a driver serving CUDA `served` runs; None where there is none.

    A driver runs every build of its own CUDA major version and of older ones. An unknown one (empty) is no obstacle.
    """
    fitting = [row for row in rows if row.holds(revision.version) and runs(row.topic, served)]
    if not fitting:
        return None
    row = max(fitting, key=lambda row: Version(row.topic))
    tag = _tag(row.what, revision)
    return Image(f"{repository}:{tag}" if tag else "", row.topic)


def _tag(template: str, revision: Revision) -> str:
    dated = _DATED.search(revision.version)
    known = {"version": revision.version, "commit": revision.commit} | (dated.groupdict() if dated else {})
    wanted = re.findall(r"{(\w+)}", template)
    return template.format(**known) if all(known.get(name) for name in wanted) else ""
