"""What a person says about a file of foreign figures that does not say it itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """Empty is not said; `link` and `date` (YYYY-MM-DD) are where and when the figures were published."""

    link: str
    date: str
    target: str = ""
    draft: str = ""
    engine: str = ""
    versions: str = ""
    method: str = ""
    hardware: str = ""
