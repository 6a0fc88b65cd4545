"""Tables whose numbers lie on other lines than the name: columns named after it, and rates by position."""

import re
from dataclasses import dataclass

from matrix.engines.reading import FROM_POSITIONS, Reading

_BAR = re.compile(r"[|│┃]")
_NAME = re.compile(
    r"[*`]{0,3}(?:(?:mean|average|avg\.?|τ)\s+)?acc(?:ept(?:ance|ed)?)?\.?[ _-]len(?:gth)?s?"
    r"(?:\s?\((?:AL|tokens?|mean|avg|τ)\))?[*`]{0,3}",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[*`]{0,3}(\d+\.\d+)[*`]{0,3}")
_RULE = re.compile(r"[\s:|│┃+=\-─━═┼╇├┤┡┩┏┓┗┛└┘┌┐┴┬╋╞╡╪┠┨]*")
_POSITION = re.compile(
    r"(?:Position|acceptance at (?:token|position)) (?P<place>\d{1,3}): {1,30}"
    r"(?P<rate>\d{1,3}(?:\.\d{1,6})?) ?(?P<unit>%?)\s*$",
    re.IGNORECASE,
)
_ABOUT_POSITIONS = re.compile(r"per-position|accept|specul|draft", re.IGNORECASE)


@dataclass(slots=True)
class Table:
    """Follows a table with a header; `open` while its rows go on."""

    open: bool = False
    _columns: tuple[int, ...] = ()
    _width: int = 0

    def read(self, raw: str) -> list[Reading]:
        """The accept lengths of a row; empty for any other line. `raw` has its prefixes: a cell may pass for one."""
        cells = _cells(raw)
        if len(cells) > 1 and (columns := tuple(i for i, cell in enumerate(cells) if _NAME.fullmatch(cell))):
            self.open = not any(map(_VALUE.fullmatch, cells))
            self._columns, self._width = columns, len(cells)
            return []
        if not self.open or (raw and _RULE.fullmatch(raw)):
            return []
        if len(cells) != self._width or not _BAR.search(raw):
            self.open = False
            return []
        found = (_VALUE.fullmatch(cells[i]) for i in self._columns)
        return [Reading(float(match[1]), "summary") for match in found if match]


def _cells(raw: str) -> list[str]:
    """What stands between the bars; a row without its closing bar is cut, so its last cell is left out."""
    parts = [part.strip() for part in _BAR.split(raw)]
    if len(parts) < 3 or parts[-1]:
        return []
    return parts[1:-1] if not parts[0] else parts[:-1]


def by_position(lines: list[str], before: str) -> list[Reading]:
    """1 + the sum of the rates that `lines` give from position 0 on, in percent or as shares; empty where one is cut.

    `before` must name acceptance where the lines themselves do not. The rates fall, as those of a prefix must.
    """
    found: list[re.Match[str]] = []
    for line in lines:
        match = _POSITION.search(line)
        if not match or int(match["place"]) != len(found):
            break
        found.append(match)
    if not found or len(found) == len(lines) or not _ABOUT_POSITIONS.search(f"{before}\n{found[0][0]}"):
        return []
    percent = found[0]["unit"] == "%" or "%" in before or any(float(m["rate"]) > 1 for m in found)
    rates = [float(m["rate"]) / (100 if percent else 1) for m in found]
    if rates != sorted(rates, reverse=True) or rates[0] > 1:
        return []
    return [Reading(1 + sum(rates), "summary", (FROM_POSITIONS,), k=len(rates))]


def first_position(text: str) -> bool:
    """True for the line of position 0."""
    match = _POSITION.search(text)
    return match is not None and int(match["place"]) == 0
