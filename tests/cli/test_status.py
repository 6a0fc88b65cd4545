"""`matrix status`: what a killed process held reads `lost` at once; nights, leases, holds and messages are told."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.app.news import sample_message
from matrix.cli.main import main
from matrix.executors import owner
from matrix.store import Store, open_store
from matrix.store.messages import MessageStatus
from matrix.store.ticks import TickStatus
from tests.store.build import plan


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = open_store(url)
    yield made
    made.close()


@pytest.fixture
def killed() -> str:
    """The name of a process that was killed with SIGKILL."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    name = owner.of(process.pid)
    process.kill()
    process.wait()
    return name


def test_a_cell_whose_process_was_killed_is_lost_and_one_at_work_is_not(
    url: str, store: Store, killed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = plan(store, "1.0", "1.1", "1.2")
    store.queue.claim(killed, sweep)
    store.queue.claim(owner.me(), sweep)
    store.leases.take("box", [3], 1, killed, purpose="p", ttl_s=60)
    assert main(["status", "--db", url, "--json"]) == 0
    view = json.loads(capsys.readouterr().out)
    assert [job["status"] for job in view["jobs"]] == ["lost", "claimed", "queued"]
    assert [worker["status"] for worker in view["service"]["workers"]] == ["lost", "working"]
    assert view["service"]["leases"][0]["status"] == "lost"
    assert main(["status", "--db", url]) == 0
    out = capsys.readouterr().out
    assert "ended while it held" in out and "takes it back" in out and "GPU 3 of box: lost" in out


def test_the_last_night_and_messages_that_did_not_arrive(
    url: str, store: Store, killed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    number = store.ticks.begin("/a/matrix.toml", 1.0, "the calendar", owner.me())
    assert number is not None
    store.ticks.finish(number, TickStatus.DONE, note="3 runs")
    store.ticks.begin("/a/matrix.toml", 2.0, "new: vllm 1.2", killed)
    store.messages.add("/a/matrix.toml", "ops", [sample_message()])
    store.messages.settle(1, MessageStatus.FAILED, "hooks.example answers HTTP 500")
    assert main(["status", "--db", url, "--json"]) == 0
    service = json.loads(capsys.readouterr().out)["service"]
    assert set(service) == {"ticks", "workers", "leases", "holds", "messages", "counts"}
    assert [(tick["status"], tick["why"]) for tick in service["ticks"]] == [
        ("lost", "new: vllm 1.2"),
        ("done", "the calendar"),
    ]
    assert service["counts"] == {"failed": 1}
    assert main(["status", "--db", url]) == 0
    out = capsys.readouterr().out
    assert "night of /a/matrix.toml: lost" in out
    assert "message 1 to ops failed: hooks.example answers HTTP 500" in out


def test_nothing_at_all_is_not_found(url: str, store: Store) -> None:
    assert main(["status", "--db", url]) == 3
