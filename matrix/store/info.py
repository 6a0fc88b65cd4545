"""What a series is about, read from one of its runs or of its planned jobs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from matrix.core.workload import Workload
from matrix.store.baselines import batches
from matrix.store.cellio import Json, cell_from_json
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


def about_all(conn: Connection) -> dict[str, SeriesInfo]:
    """Every series that is followed and has a run, by its key."""
    query = select(series.c.series_key, *(series.c[name] for name in _FIELDS)).where(followed(series.c.series_key))
    return {row[0]: SeriesInfo(*row) for row in conn.execute(query)}


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
