"""What the service says of itself, from a real store and real folders."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.app import disk as disk_module
from matrix.app.disk import folder_use
from matrix.app.service import disk_of, reliability_of, status
from matrix.store import Store, open_store
from tests.app.stored import cell, judged, served
from tests.store.build import plan


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("MATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(disk_module, "image_use", lambda: None)
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


def test_the_false_flag_rate_comes_from_repeated_boots(store: Store) -> None:
    for boot in range(4):
        served(store, cell("0.5.4", boot=boot), 2.2, at=1000.0 + boot)
    served(store, cell("0.5.5"), 1.5, at=2000.0)
    found = reliability_of(judged(store))
    length = found.rates[0]
    assert (found.cells, length.metric, length.comparisons, length.flags) == (1, "accept-length", 2, 0)
    assert length.upper is not None and 0.5 < length.upper < 0.9


def test_without_a_repeat_it_is_unknown_and_not_zero(store: Store) -> None:
    found = reliability_of(store)
    assert [(r.comparisons, r.rate, r.upper) for r in found.rates] == [(0, None, None)] * 2


def test_queue_leases_and_versions_are_told(store: Store) -> None:
    plan(store, "1", "2", "3")
    job = store.queue.claim("me")
    assert job
    store.queue.set_phase(job.job_id, "me", "probe", "prompt 4 of 16")
    store.leases.take("box", [0, 1], 1, "me", purpose="a cell", ttl_s=60)
    seen = status(store, reliability_of(store), disk_of(store))
    assert (seen.rows.held, seen.rows.waiting) == (1, 2)
    first = seen.rows.jobs[0]
    assert (first.status, first.phase, first.phase_detail) == ("claimed", "probe", "prompt 4 of 16")
    assert [(gpu.host, gpu.gpu, gpu.purpose) for gpu in seen.rows.gpus] == [("box", 0, "a cell")]
    assert seen.sweep and seen.sweep.total == 3 and seen.sweep.jobs == []
    assert seen.versions.database == "SQLite"
    assert seen.disk.database and seen.disk.database >= (Path(store.place)).stat().st_size
    assert seen.disk.images is None


def test_a_folder_is_counted_once_for_each_file_and_never_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_bytes(b"x" * 1000)
    os.link(folder / "a", folder / "deep" / "same")
    (tmp_path / "outside").write_bytes(b"x" * 5000)
    (folder / "link").symlink_to(tmp_path)
    found = folder_use("cache", folder)
    assert (found.files, found.whole) == (3, True) and 1000 <= found.bytes < 2000
    monkeypatch.setattr(disk_module, "MOST_FILES", 2)
    assert folder_use("cache", folder).whole is False
    absent = folder_use("cache", tmp_path / "no" / "such")
    assert (absent.bytes, absent.files) == (0, 0) and absent.free is not None
