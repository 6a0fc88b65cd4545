"""The table `[bisect]` of `matrix.toml`: whether a sweep looks for the culprits of what it found, and how far."""

from pydantic import BaseModel, ConfigDict, Field


class BisectTable(BaseModel):
    """Off unless `auto` is true."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    auto: bool = Field(
        False, description="After a sweep, bisect each new regression's cause, one at a time, by releases."
    )
    budget_min: float = Field(
        120, gt=0, le=100_000, allow_inf_nan=False, description="Minutes that the bisections after one sweep may take."
    )
    max_runs: int = Field(20, ge=1, le=1000, description="Runs between the ends of one such bisection.")
