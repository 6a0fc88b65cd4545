"""Text of a reports file to reports, with errors that name file, line, key and what was expected."""

import tomllib
from datetime import date
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from matrix.core.errors import ConfigError, Where
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.plan.config import EngineName
from matrix.plan.locate import line_of
from matrix.plan.texts import check_text

_LONGEST = 2000
Said = Annotated[str, Field(max_length=_LONGEST), AfterValidator(check_text)]
Tokens = Annotated[int, Field(ge=1, le=512)]
Rate = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]


def _versions(text: str) -> str:
    """One version or a PEP 440 range, as it is written."""
    for kind in (Version, SpecifierSet):
        try:
            kind(text)
        except (InvalidVersion, InvalidSpecifier):
            continue
        return text
    raise ValueError(f"`{text[:60]}` is neither a version (`0.5.4`) nor a range (`>=0.5.3,<0.5.5`)")


class ReportTable(BaseModel):
    """One report. A key that the reporter did not state stays out: it is then unknown."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    target: Said = Field(min_length=1, description="The model, best as its hub id.")
    engine: EngineName | Literal["unknown"] = Field(description="`unknown` where the reporter named none.")
    state: Literal["healthy", "degraded", "collapsed", "broken", "slower", "wrong-output", "unknown"] = Field(
        description="What the reporter found; `unknown` for a number without a judgement."
    )
    link: Said = Field(description="Where it was reported; empty where that is not known.")
    date: Annotated[date | str, Field(description="The day of the report, YYYY-MM-DD; `unknown` where it has none.")]
    draft: Said = Field("", description="The draft, best as its hub id.")
    method: Method = Field(Method.UNKNOWN, strict=False)
    versions: Annotated[str, AfterValidator(_versions)] = Field(
        "", description="One version, or a range in which the version lies."
    )
    hardware: Said = ""
    value: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)] | None = Field(
        None, description="Accept length as published."
    )
    bonus: Bonus = Field(Bonus.UNKNOWN, strict=False, description="Whether the value counts the bonus token.")
    k: Tokens | None = Field(None, description="Most drafts that a verify step can accept (SGLang's steps).")
    topk: Tokens | None = None
    draft_tokens: Tokens | None = None
    workload: Said = Field("", description="Prompts, as the reporter names them.")
    tok_s: Rate | None = Field(None, description="Output tokens a second.")
    speedup: Rate | None = Field(None, description="Against the same server without a draft.")
    text: Said = Field("", description="What else the reporter says, in your words.")

    @model_validator(mode="after")
    def _dated(self) -> "ReportTable":
        if isinstance(self.date, str) and self.date != "unknown":
            try:
                date.fromisoformat(self.date)
            except ValueError:
                raise ValueError(f"date: expected YYYY-MM-DD or `unknown`, not `{self.date[:40]}`") from None
        return self

    def report(self) -> Report:
        """The report that the table holds."""
        values = self.model_dump() | {"state": State(self.state), "bonus": self.bonus, "method": self.method.value}
        return Report(**values | {"date": str(self.date)})


class ReportsFile(BaseModel):
    """A file of reports: `[[reports]]` tables."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    reports: list[ReportTable] = Field(min_length=1)


def parse_reports(text: str, file: str) -> list[Report]:
    """The reports in their order. Raises ConfigError; `error.others` holds the further faults of the file."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not valid TOML: {error}", hint="see docs/compat.md", where=Where(file)) from None
    try:
        return [table.report() for table in ReportsFile.model_validate(raw).reports]
    except ValidationError as error:
        faults = [_fault(detail["loc"], detail["msg"], text, file) for detail in error.errors()]
        faults[0].others = tuple(faults[1:])
        raise faults[0] from None


def reports_schema() -> dict[str, Any]:
    """JSON Schema of a reports file."""
    return ReportsFile.model_json_schema()


def _fault(path: tuple[int | str, ...], message: str, text: str, file: str) -> ConfigError:
    key = ".".join(map(str, path))
    cause = message.removeprefix("Value error, ")
    return ConfigError(cause, hint="see docs/compat.md for the keys", where=Where(file, line_of(text, path), key))
