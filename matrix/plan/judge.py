"""The table `[judge]` of `matrix.toml`: what change matters, and how many boots may be spent on finding out."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from matrix.core.cell import Cell
from matrix.plan.select import series_matches

_NAMES = ("relevant", "relevant_speed", "max_boots", "false_discovery")
Share = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]


class ThresholdTable(BaseModel):
    """Thresholds of the judge; what is absent is the judge's own (`docs/statistics.md`)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    relevant: Share | None = Field(None, description="Smallest change of accept length that matters; 0.03 is 3 %.")
    relevant_speed: Share | None = Field(None, description="The same of tokens per second; 0.05.")
    max_boots: int | None = Field(
        None, ge=1, le=200, description="Boots of one release from which no more are asked for; 28. 1 asks for none."
    )

    @property
    def thresholds(self) -> dict[str, float]:
        """Those that are written down, by name."""
        return {name: value for name in _NAMES if (value := getattr(self, name, None)) is not None}


class JudgeTable(ThresholdTable):
    """For the whole file, and for some of its series."""

    false_discovery: Share | None = Field(
        None, description="Largest share of false ones among the falls of a release that are called; 0.05."
    )
    repeats: int = Field(
        1, ge=0, le=20, description="Repeated boots that each series of the oldest release gets, one series a sweep."
    )
    minutes: float = Field(
        30, ge=0, le=100_000, allow_inf_nan=False, description="Time of one sweep for boots beyond its cells; 0: none."
    )
    series: dict[str, ThresholdTable] = Field(
        default={},
        description="By wildcard on `engine/target/spec/workload` (a bare word: any part); the last wins.",
    )

    def of(self, cell: Cell) -> dict[str, float]:
        """Thresholds by name for the series of this cell: the file's, then those of each wildcard that matches."""
        fitting = [table.thresholds for pattern, table in self.series.items() if series_matches(cell, pattern)]
        return {name: value for part in (self.thresholds, *fitting) for name, value in part.items()}

    def unmatched(self, cells: Iterable[Cell]) -> str | None:
        """The first wildcard of `series` that fits none of the cells, or None."""
        found = list(cells)
        return next((p for p in self.series if not any(series_matches(cell, p) for cell in found)), None)
