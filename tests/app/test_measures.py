"""The text of `/metrics`, read as Prometheus reads it."""

import time
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from matrix.app.measures import Measures
from matrix.store import Store
from tests.databases import on_both
from tests.store.build import cell, plan, run

pytestmark = on_both


def values(store: Store, now: float = 10_000.0, free: int = 7) -> dict[tuple[str, str], float]:
    asked: list[Path] = []

    def room(folder: Path) -> int:
        asked.append(folder)
        if len(asked) > 1:
            raise OSError(5, "gone")
        return free

    text = Measures(store, clock=lambda: now, gpus=lambda: 2, free=room).text().decode()
    return {
        (sample.name.removeprefix("specmatrix_"), " ".join(v for _, v in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_is_unknown_has_no_sample(stored: Store) -> None:
    found = values(stored)
    names = {name for name, _ in found}
    assert not names & {"oldest_waiting_seconds", "last_tick_age_seconds", "runs_total", "jobs"}
    assert found["gpus", ""] == 2 and found["gpu_leases", ""] == 0
    assert found["disk_free_bytes", "state"] == 7 and ("disk_free_bytes", "cache") not in found
    assert any(name == "build_info" for name in names)


def test_counts_ages_and_quantiles(stored: Store) -> None:
    now = time.time()
    for at in range(10):
        phases = (("probe", float(at + 1)),)
        stored.runs.save(run(f"r{at}", cell(f"1.{at}"), at=now - 60, phases=phases))
    plan(stored, "2.0")
    number = stored.ticks.begin("a", 1.0, "w", "me")
    assert number is not None
    found = values(stored, now + 100)
    assert found["runs_total", "ok"] == 10
    assert [found["phase_seconds", f"probe {q}"] for q in ("0.5", "0.9", "1")] == [5, 9, 10]
    assert found["phase_runs", "probe"] == 10
    assert found["jobs", "interactive queued"] == 1
    assert found["ticks", "running"] == 1
    assert 90 < found["oldest_waiting_seconds", ""] <= 101
    assert 90 < found["last_tick_age_seconds", ""] <= 101
