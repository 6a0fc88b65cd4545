"""What somebody else wrote of a model with a draft: a report, kept with its link and its date."""

from dataclasses import asdict, dataclass

from matrix.core.cell import digest
from matrix.core.expectation import Bonus
from matrix.core.state import State


@dataclass(frozen=True, slots=True)
class Report:
    """Empty text and None are what the reporter did not say, an empty link that where it was said is not known.

    `versions` is one version, or a PEP 440 range in which the version that was used lies. `value` is the accept length
    as published; `bonus` says whether it counts the bonus token. `engine` is `unknown` where none was named. `date` is
    YYYY-MM-DD. `speedup` is against no draft.
    """

    target: str
    engine: str
    state: State
    link: str
    date: str
    draft: str = ""
    method: str = "unknown"
    versions: str = ""
    hardware: str = ""
    value: float | None = None
    bonus: Bonus = Bonus.UNKNOWN
    k: int | None = None
    topk: int | None = None
    draft_tokens: int | None = None
    workload: str = ""
    tok_s: float | None = None
    speedup: float | None = None
    text: str = ""

    @property
    def key(self) -> str:
        """Names the report by its content (64 hex digits): what is imported twice is one report."""
        return digest(asdict(self))
