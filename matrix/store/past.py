"""How long things took here before, for estimates."""

from collections import defaultdict
from statistics import fmean

from sqlalchemy import Connection, select

from matrix.plan.estimate import Past
from matrix.store.tables import runs

_NEWEST = 200
_PROBE = ("warmup", "probe", "logprobs")


def past(conn: Connection) -> Past:
    """Means over the newest 200 runs: start of those that became ready, build of those that built, probe by series."""
    columns = (runs.c.series_key, runs.c.phases, runs.c.artifact_reused)
    starts, builds = [], []
    probes: dict[str, list[float]] = defaultdict(list)
    for row in conn.execute(select(*columns).order_by(runs.c.finished_at.desc(), runs.c.id.desc()).limit(_NEWEST)):
        phases = dict(row.phases)
        if row.artifact_reused is False and "build" in phases:
            builds.append(phases["build"])
        if "start" in phases and "probe" in phases:
            starts.append(phases["start"])
        if "probe" in phases:  # a run may have taken over a server that another started
            probes[row.series_key].append(sum(phases.get(name, 0.0) for name in _PROBE))
    return Past(
        start_s=fmean(starts) if starts else None,
        build_s=fmean(builds) if builds else None,
        probe_s={key: fmean(values) for key, values in probes.items()},
    )
