"""The table `[ray]` of `matrix.toml`: which cluster runs the cells, and what a cell asks of it."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def check_address(text: str) -> str:
    """`text` unchanged unless it goes through Ray Client, which cannot pass on what a running cell tells."""
    if text.startswith("ray://"):
        raise ValueError(f"`{text}` is Ray Client's: start matrix on a machine of the cluster and give `HOST:PORT`")
    return text


class RayTable(BaseModel):
    """Read when the executor is `ray`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    address: Annotated[str, AfterValidator(check_address)] = Field(
        "auto", min_length=1, description="`HOST:PORT` of the cluster's head; `auto`: RAY_ADDRESS, or the one here."
    )
    executor: Literal["venv", "docker"] = Field("venv", description="What builds and serves on the node.")
    resources: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(
        default={}, description="Custom resources that each cell asks for: name the GPU class here."
    )
    cpus: float = Field(1, ge=0, allow_inf_nan=False, description="CPUs that each cell asks for.")
