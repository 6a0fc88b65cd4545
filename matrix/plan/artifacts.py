"""The table `[artifacts]` of `matrix.toml`: a registry of one's own, and how much disk may be taken."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_MIRROR = re.compile(rf"(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:))(?::\d+)?(?:/{_PART})+", re.ASCII)


def check_mirror(text: str) -> str:
    """`text` unchanged if it is a registry and a path in it; else ValueError with an example."""
    if not _MIRROR.fullmatch(text):
        raise ValueError(f"`{text}` is no place in a registry (expected HOST[:PORT]/PATH: `localhost:5000/specmatrix`)")
    return text


class ArtifactsTable(BaseModel):
    """Without it nothing is copied, and nothing gives way."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    mirror: Annotated[str, AfterValidator(check_mirror)] | None = Field(
        None, description="Registry of one's own and a path in it; every image that is used is copied there."
    )
    disk_gib: float | None = Field(
        None,
        gt=0,
        le=1_000_000,
        allow_inf_nan=False,
        description="GiB that images, environments, caches and logs may take together; the oldest give way.",
    )

    @property
    def disk_bytes(self) -> int | None:
        """The budget in bytes; None is no limit."""
        return None if self.disk_gib is None else int(self.disk_gib * 2**30)
