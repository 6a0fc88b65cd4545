"""Runs as CSV, and the whole matrix as one JSON document; both are sent row by row while they are read."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from typing import Any

from fastapi import APIRouter
from starlette.responses import StreamingResponse

import matrix
from matrix.core.errors import NotFoundError
from matrix.store import Filters
from matrix.store.views import ResultRow
from web.asked import Name
from web.site import Site

FORMAT = 1
"""Grows when a key of the matrix document changes its meaning or goes."""
_COLUMNS = [f.name for f in fields(ResultRow)]
_ROWS = 200
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def add(routes: APIRouter, site: Site) -> None:
    @routes.get(
        "/results.csv", response_class=StreamingResponse, responses={200: {"content": {"text/csv": {}}}},
        summary="Runs as CSV",
    )  # fmt: skip
    def results(
        engine: Name = "", revision: Name = "", target: Name = "", draft: Name = "", method: Name = "",
        workload: Name = "", outcome: Name = "", series: Name = "",
    ) -> StreamingResponse:  # fmt: skip
        """Every run that has all the values asked for, in the order they finished; the columns of `matrix results`.

        An empty cell is unknown or does not apply. Text that a spreadsheet would run as a formula begins with `'`.
        """
        asked = {"engine": engine, "revision": revision, "target": target, "draft": draft, "method": method}
        asked |= {"workload": workload, "outcome": outcome, "series_key": series}
        filters = Filters(**{name: value or None for name, value in asked.items()})  # type: ignore[arg-type]
        name = {"content-disposition": 'attachment; filename="results.csv"'}
        return StreamingResponse(csv_lines(site.store.results(filters)), media_type="text/csv", headers=name)

    @routes.get(
        "/api/matrix.json", response_class=StreamingResponse, responses={200: {"content": {"application/json": {}}}},
        summary="The whole matrix",
    )  # fmt: skip
    def whole() -> StreamingResponse:
        """All series with every revision that was run, their verdicts and changes of state, in one document."""
        return StreamingResponse(matrix_json(site), media_type="application/json")


def csv_lines(rows: Iterable[ResultRow]) -> Iterator[str]:
    """CSV text in pieces of some rows each, the names of the columns first."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for number, row in enumerate(rows, 1):
        writer.writerow([defused(getattr(row, name)) for name in _COLUMNS])
        if number % _ROWS == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def defused(value: Any) -> str:
    """A cell that a spreadsheet shows as it is; numbers are left alone, lists become JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return json.dumps(value)


def matrix_json(site: Site) -> Iterator[str]:
    """The document in pieces, a series each."""
    head = json.dumps({"format": FORMAT, "version": matrix.__version__})
    yield f'{head[:-1]}, "series": ['
    comma = ""
    for key in site.store.series_keys():
        try:
            series = site.store.series(key)
        except NotFoundError:  # it went while this was read
            continue
        yield f"{comma}\n{json.dumps(asdict(series), ensure_ascii=False, allow_nan=False)}"
        comma = ","
    yield "\n]}\n"
