"""A worker of another process: it fetches what it lacks, and knows secrets from the sweep's file or its environment."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app import worker as workers
from matrix.app.gather import Source
from matrix.app.planned import content_key
from matrix.app.secret_env import kept_text
from matrix.app.worker import Worker
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.sources import hub
from matrix.store import Store
from tests.app.build import Seen
from tests.app.test_secret_env import KEY, Watching, source, with_env

COMMIT = "d" * 40
TINY = Model("tiny", f"/hub/snapshots/{COMMIT}", f"lab/tiny@{COMMIT}", f"hub lab/tiny@{COMMIT}")


def queued(store: Store, whole: Source, boots: int = 1) -> None:
    """Shared cells, as the process of a sweep leaves them: without its secrets."""
    config = {"config": str(whole.path), "executor": "venv"}
    sweep = store.sweeps.create(config, kept_text(whole), owner="another", tool_version="1")
    cells = [replace(with_env(LOGIN="x", LOGIN_KEY=KEY), target=TINY, boot=boot) for boot in range(boots)]
    store.queue.enqueue(sweep, [(content_key(c), c) for c in cells], shared=True)


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Watching:
    made = Watching()
    monkeypatch.setattr(workers, "make_executor", lambda *given: made)
    return made


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []

    def stage(repo: str, revision: str, tell: Callable[[str], None]) -> tuple[Path, str]:
        calls.append(f"{repo}@{revision}")
        return Path("/hub"), COMMIT

    monkeypatch.setattr(hub, "stage", stage)
    return calls


def worker(store: Store, url: str) -> Worker:
    made = Worker(store, url, "venv", Seen(), hardware=with_env().hardware.label)
    made._names = ["venv"]
    return made


def test_it_fetches_once_what_its_cells_need(
    tmp_path: Path, url: str, stored: Store, executor: Watching, fetched: list[str]
) -> None:
    queued(stored, source(tmp_path, f'env = {{ LOGIN_KEY = "{KEY}" }}'), boots=2)
    mine = worker(stored, url)
    assert [mine.work(), mine.work(), mine.work()] == [Outcome.OK, Outcome.OK, None]
    assert fetched == [f"lab/tiny@{COMMIT}"]
    assert executor.env["LOGIN_KEY"] == KEY


def test_without_the_file_it_takes_secrets_from_its_environment(
    tmp_path: Path, url: str, stored: Store, executor: Watching, fetched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = source(tmp_path, f'env = {{ LOGIN_KEY = "{KEY}" }}')
    queued(stored, whole, boots=2)
    whole.path.unlink()
    mine = worker(stored, url)
    assert mine.work() is Outcome.INFRA
    monkeypatch.setenv("LOGIN_KEY", KEY)
    assert mine.work() is Outcome.OK
    assert executor.env["LOGIN_KEY"] == KEY
    reasons = {row.outcome: row.reason for row in stored.read.results()}
    assert "the value of LOGIN_KEY is not known here" in reasons["infra"]
