"""The verbs on a real PostgreSQL, named once by MATRIX_DB: sweep, ask, serve nights with workers, dump and restore."""

import re
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from matrix.store import open_store
from tests.e2e.kit import Place, place, servers_of, toml
from tests.e2e.test_nightly import NIGHTLY, ended, until

pytestmark = pytest.mark.postgres


def said(project: Place, db: str, *words: str, ends: tuple[int, ...] = (0,)) -> str:
    done = project.run(*words, env={"MATRIX_DB": db})
    assert done.returncode in ends, (words, done.stdout, done.stderr)
    return done.stdout


def keys(db: str) -> Counter[str]:
    store = open_store(db)
    try:
        return Counter(store.read.run(row.run_id).content_key for row in store.read.results())
    finally:
        store.close()


def night(project: Place, db: str) -> None:
    """Serve until the night is over, look at the first page, then end it by SIGTERM."""
    words = ("serve", "--port", "0", "--executor", "venv", "-c", "matrix.toml", "--workers", "2")
    process, store = project.start(*words, env={"MATRIX_DB": db}), open_store(db)
    try:
        until(lambda: any(tick.status == "done" for tick in store.ticks.newest()), process, project)
        url = re.findall(r"dashboard at (\S+)", (project.folder / "sweep.err").read_text())[0]
        assert b"eagle3" in urllib.request.urlopen(url, timeout=60).read()
        assert ended(process) == 0
    finally:
        store.close()
        process.kill()


def test_all_verbs_by_one_url(tmp_path: Path, pg_url: str) -> None:
    project = place(tmp_path)
    fallen = {"by_version": {"1.1.0": {"acceptance": [0.0, 0.0, 0.0]}}}
    project.write(toml(script=fallen, versions='"latest:3"', extra=NIGHTLY))
    said(project, pg_url, "sweep", "revision=1.0.0", ends=(0, 1))
    assert len(keys(pg_url)) == 2

    night(project, pg_url)
    assert len(keys(pg_url)) == 4 and set(keys(pg_url).values()) == {1}
    assert not servers_of(project.folder)

    assert "1.1.0" in said(project, pg_url, "results")
    assert "1.1.0" in said(project, pg_url, "regressions", ends=(0, 1))
    assert "1.0.0" in said(project, pg_url, "compat", "tiny", ends=(0, 1))
    assert "done" in said(project, pg_url, "status")
    said(project, pg_url, "worker", "--once", "--executor", "venv")

    said(project, pg_url, "export", "--dump", "all.gz")
    refused = project.run("export", "--backup", "copy.db", env={"MATRIX_DB": pg_url})
    assert refused.returncode == 2 and "pg_dump" in refused.stderr
    copied = f"sqlite:///{project.folder}/copy.db"
    said(project, copied, "restore", "all.gz")
    assert keys(copied) == keys(pg_url)
    assert said(project, copied, "results") == said(project, pg_url, "results")
    assert not (project.folder / "matrix.db").exists(), "nothing was written beside the server's database"
    assert list((project.folder / ".matrix" / "logs").iterdir())
