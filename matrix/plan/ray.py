"""The table `[ray]` of `matrix.toml`: which cluster runs the cells, and what a cell asks of it."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_ADDRESS = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}")
_LEAST = 0.0001
"""Ray counts in steps of that."""
_BUILT_IN = ("CPU", "GPU", "memory", "object_store_memory")


def check_address(text: str) -> str:
    """`text` unchanged unless it goes through Ray Client, which cannot pass on what a running cell tells."""
    if text.startswith("ray://"):
        raise ValueError(f"`{text}` is Ray Client's: start matrix on a machine of the cluster and give `HOST:PORT`")
    port = text.rpartition(":")[2]
    if text != "auto" and not (_ADDRESS.fullmatch(text) and 0 < int(port) < 65_536):
        raise ValueError(f"`{text}` is no address of a cluster: give `HOST:PORT` of its head, or `auto`")
    return text


def check_amount(amount: float) -> float:
    """`amount` unchanged if Ray can set it aside: a share of one, or a whole number."""
    if 0 < amount < _LEAST:
        raise ValueError(f"{amount:g} cannot be set aside by Ray: the least is {_LEAST:g}")
    if amount > 1 and amount != int(amount):
        raise ValueError(f"{amount:g} cannot be set aside by Ray: give a whole number, or less than 1")
    return amount


def check_resources(resources: dict[str, float]) -> dict[str, float]:
    """`resources` unchanged unless one is Ray's own."""
    for name in resources:
        if name in _BUILT_IN:
            raise ValueError(f"`{name}` is no custom resource: `cpus` asks for CPUs, `gpus` of an engine for GPUs")
    return resources


Amount = Annotated[float, AfterValidator(check_amount)]


class RayTable(BaseModel):
    """Read when the executor is `ray`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    address: Annotated[str, AfterValidator(check_address)] = Field(
        "auto", min_length=1, description="`HOST:PORT` of the cluster's head; `auto`: RAY_ADDRESS, or the one here."
    )
    executor: Literal["venv", "docker"] = Field("venv", description="What builds and serves on the node.")
    resources: Annotated[
        dict[str, Annotated[Amount, Field(gt=0, le=1e9, allow_inf_nan=False)]], AfterValidator(check_resources)
    ] = Field(default={}, description="Custom resources that each cell asks for: name the GPU class here.")
    cpus: Amount = Field(1, ge=0, le=1e6, allow_inf_nan=False, description="CPUs that each cell asks for.")
