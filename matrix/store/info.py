"""What a series is about, read from one of its runs or of its planned jobs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, cast, func, select

from matrix.core.spec import Method
from matrix.core.workload import Workload
from matrix.store.baselines import batches
from matrix.store.cellio import Json, cell_from_json
from matrix.store.kept import kept_of
from matrix.store.order import followed
from matrix.store.redact import redact
from matrix.store.tables import jobs, series

_FIELDS = ["engine", "target", "draft", "method", "spec", "k", "launch", "workload", "hardware", "executor"]


@dataclass(frozen=True, slots=True)
class SeriesInfo:
    """All that runs of one series share; `launch` and `hardware` are labels."""

    series_key: str
    engine: str
    target: str
    draft: str | None
    method: str
    spec: str
    k: int | None
    launch: str
    workload: str
    hardware: str
    executor: str

    @property
    def title(self) -> str:
        """Readable name: engine / target / spec / workload."""
        return " / ".join((self.engine, self.target, self.spec, self.workload))


def info_from_run(row: Any) -> SeriesInfo:
    """From a row of `runs` or `series`."""
    return SeriesInfo(row.series_key, **{name: getattr(row, name) for name in _FIELDS})


def info_from_job(series_key: str, body: Json) -> SeriesInfo:
    """From a planned job's cell; of its workload only the name is needed, so no prompts are read."""
    cell = cell_from_json(body, lambda _: Workload("", (), 0))
    return SeriesInfo(
        series_key=series_key,
        engine=cell.revision.engine,
        target=cell.target.name,
        draft=cell.spec.draft.name if cell.spec.draft else None,
        method=cell.spec.method.value,
        spec=cell.spec.name,
        k=cell.spec.k,
        launch=redact(cell.launch.label),
        workload=cell.workload.name,
        hardware=cell.hardware.label,
        executor=cell.executor,
    )


def row_order(info: SeriesInfo) -> tuple[object, ...]:
    """Rows of one target and setting together, the baseline first."""
    setting = (info.target, info.launch, info.workload, info.hardware, info.executor)
    return (*setting, info.method != Method.NONE.value, info.draft or "", info.spec, info.series_key)


def about_all(conn: Connection) -> dict[str, SeriesInfo]:
    """Every series that is followed and has a run, by its key, in the order of rows. Not to be changed."""
    return about_and_marks(conn)[0]


def about_and_marks(conn: Connection) -> tuple[dict[str, SeriesInfo], dict[str, str]]:
    """The same, and by series key what changes whenever one of its squares does."""
    marks, kept = _marks(conn), kept_of(conn)
    before, about = kept.last("about")
    if about is None or before != marks:
        about = _in_order(_told(conn, None)) if about is None else _brought_up(conn, about, before, marks)
        kept.put("about", marks, about)
    return about, marks


def _brought_up(
    conn: Connection, about: dict[str, SeriesInfo], before: dict[str, str], marks: dict[str, str]
) -> dict[str, SeriesInfo]:
    """What is known, where series have changed since; the same object where they are about what they were."""
    found = _told(conn, [key for key, mark in marks.items() if before.get(key) != mark])
    if about.keys() == marks.keys() and all(about[key] == info for key, info in found.items()):
        return about
    return _in_order({key: info for key, info in (about | found).items() if key in marks})


def _in_order(about: dict[str, SeriesInfo]) -> dict[str, SeriesInfo]:
    return {info.series_key: info for info in sorted(about.values(), key=row_order)}


def _marks(conn: Connection) -> dict[str, str]:
    # In one row: fetching two thousand takes ten times as long.
    text = func.aggregate_strings(series.c.series_key + " " + cast(series.c.mark, Text), ",")
    found = conn.execute(select(text).where(followed(series.c.series_key))).scalar_one() or ""
    pairs = (part.partition(" ") for part in found.split(",") if part)
    return {key: mark for key, _, mark in pairs}


def _told(conn: Connection, keys: list[str] | None) -> dict[str, SeriesInfo]:
    """What the newest run of each series says, of these or (None) all that are followed."""
    query = select(series.c.series_key, *(series.c[name] for name in _FIELDS)).where(followed(series.c.series_key))
    queries = [query] if keys is None else [query.where(series.c.series_key.in_(batch)) for batch in batches(keys)]
    return {row[0]: SeriesInfo(*row) for query in queries for row in conn.execute(query)}


def infos(conn: Connection, keys: Iterable[str]) -> dict[str, SeriesInfo]:
    """By series key, from the newest run of each; a series without a run from a job; unknown keys are left out."""
    found: dict[str, SeriesInfo] = {}
    columns = (series.c.series_key, *(series.c[name] for name in _FIELDS))
    for batch in batches(sorted(set(keys))):
        for row in conn.execute(select(*columns).where(series.c.series_key.in_(batch))):
            found[row.series_key] = info_from_run(row)
        planned = [key for key in batch if key not in found]
        for row in conn.execute(select(jobs.c.series_key, jobs.c.cell).where(jobs.c.series_key.in_(planned))):
            found[row.series_key] = info_from_job(row.series_key, row.cell)
    return found
