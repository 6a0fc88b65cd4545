"""What another instance measured, out of its dump: reports of others here, never measurements of ours."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version
from pydantic import ValidationError

from matrix.core.cell import ASIDE
from matrix.core.errors import ConfigError, Where
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.plan.reports import ReportTable
from matrix.store import read_dump

_LONGEST = 500
_SAME = ("target", "engine", "draft", "method", "hardware", "k", "workload")


def reports_of_dump(path: Path, link: str) -> list[Report]:
    """The newest run of each series at each revision, and the reports that the other instance had of others.

    `link` says where it came from. ConfigError for a file that is no whole dump or holds what cannot be.
    """
    about: dict[str, Mapping[str, Any]] = {}
    squares: list[Mapping[str, Any]] = []
    found: list[Report] = []
    try:
        with path.open("rb") as file:
            for part in read_dump(file, str(path)):
                if part.table == "series":
                    about |= {row["series_key"]: row for row in part.rows}
                elif part.table == "squares":
                    squares += part.rows
                elif part.table == "reports":
                    found += [_again(row) for row in part.rows]
        return found + list(_measured(about, squares, link))
    except (ValidationError, KeyError, TypeError, ValueError, OverflowError) as error:
        cause = f"a row says what cannot be: {str(error).splitlines()[0][:200]}"
        raise ConfigError(cause, hint="ask who made it for another dump", where=Where(str(path))) from None


def _measured(about: Mapping[str, Mapping[str, Any]], squares: list[Mapping[str, Any]], link: str) -> Iterator[Report]:
    for square in squares:
        series = about[square["series_key"]]
        aside = square["series_key"].startswith(ASIDE) or series["method"] == Method.NONE.value
        state = State(square["state"])
        if not aside and (state.known or square["accept_length"] is not None) and state is not State.NOT_APPLICABLE:
            yield _report(series, square, state, link)


def _report(series: Mapping[str, Any], square: Mapping[str, Any], state: State, link: str) -> Report:
    """A state that no report can have, too good to be believed, is told as unknown, with its reason."""
    revision, base, speed = square["revision"], square["baseline_tok_s"], square["tok_s"]
    version = _is_version(revision)
    values = {name: series[name] for name in _SAME if series[name] is not None}
    values |= {
        "state": "unknown" if state is State.SUSPICIOUS_HIGH else state.value,
        "link": link,
        "date": str(datetime.fromtimestamp(square["finished_at"], UTC).date()),
        "versions": revision if version else "",
        "value": square["accept_length"],
        "bonus": Bonus.YES.value,
        "tok_s": speed,
        "speedup": speed / base if speed and base else None,
        "text": f"run {square['run_id']}{'' if version else f' of {revision}'}: {square['why']}"[:_LONGEST],
    }
    return ReportTable.model_validate(values).report()


def _again(row: Mapping[str, Any]) -> Report:
    values = {name: row[name] for name in Report.__dataclass_fields__}
    return ReportTable.model_validate(values).report()


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
