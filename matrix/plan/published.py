"""Accept lengths that a draft's author published, as `matrix.toml` holds them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from matrix.core.expectation import Bonus, Expectation


class ExpectationTable(BaseModel):
    """One published accept length of a draft. What the author did not say stays out."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    value: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] = Field(description="Accept length as published.")
    workload: str = Field("", description="Prompts it was measured on, as the author names them.")
    k: int | None = Field(None, ge=1, le=512)
    bonus: Bonus = Field(Bonus.UNKNOWN, strict=False, description="Whether the value counts the bonus token.")
    link: str = Field("", description="Where it was published.")
    target: str | None = Field(None, description="Only for this target of [targets].")
    engine: str | None = Field(None, description="Only for this engine.")

    def of(self, draft: str) -> Expectation:
        """The expectation for the draft that this table belongs to."""
        return Expectation(draft, self.value, self.bonus, self.workload, self.k, self.link, self.target, self.engine)
