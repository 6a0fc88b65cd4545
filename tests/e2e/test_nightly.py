"""`matrix serve -c`: nights over stub releases whose engine is scripted; stopped, killed, helped, and caught up."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.e2e.kit import Place, place, servers_of, stub_vllm, toml
from tests.notify.receiver import receiver

NIGHTLY = """
[nightly]
when = "0 0 1 1 *"
"""


def serve(project: Place, *more: str) -> "subprocess.Popen[str]":
    return project.start("serve", "--port", "0", "--executor", "venv", "-c", "matrix.toml", *more)


def rows(project: Place, query: str) -> list[tuple[object, ...]]:
    path = project.folder / "matrix.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as db:
        try:
            return db.execute(query).fetchall()
        except sqlite3.OperationalError:
            return []


def until(true: Callable[[], bool], process: "subprocess.Popen[str]", project: Place, seconds: float = 240) -> None:
    ends = time.monotonic() + seconds
    while not true():
        log = (project.folder / "sweep.err").read_text()
        assert process.poll() is None, log
        assert time.monotonic() < ends, log
        time.sleep(0.1)


def ticks(project: Place) -> list[tuple[object, ...]]:
    return rows(project, "select status, why from ticks order by id")


def ended(process: "subprocess.Popen[str]") -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=120)


def keys(project: Place) -> Counter[object]:
    return Counter(key for (key,) in rows(project, "select content_key from runs"))


def project_of(tmp_path: Path, **script: object) -> Place:
    made = place(tmp_path)
    made.write(toml(script=script, versions='"latest:3"', extra=NIGHTLY))
    return made


def test_a_new_release_is_swept_by_itself_and_only_once(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    process = serve(project)
    until(lambda: bool(ticks(project)) and ticks(project)[0][0] == "done", process, project)
    assert ended(process) == 0
    assert ticks(project) == [("done", "new: vllm 1.0.0, vllm 1.1.0")]
    assert len(keys(project)) == 4

    stub_vllm(project.wheels, "1.2.0")
    shutil.rmtree(tmp_path / "cache" / "versions")  # what an index said is believed for ten minutes
    process = serve(project)
    until(lambda: len(ticks(project)) == 2 and ticks(project)[1][0] == "done", process, project)
    assert ended(process) == 0
    assert ticks(project)[1] == ("done", "new: vllm 1.2.0")
    assert len(keys(project)) == 6 and set(keys(project).values()) == {1}
    assert not servers_of(project.folder)


def test_sigterm_lets_the_cell_finish_and_a_kill_loses_nothing(tmp_path: Path) -> None:
    project = project_of(tmp_path, token_s=0.01)
    process = serve(project)
    until(lambda: bool(rows(project, "select 1 from jobs where phase = 'probe'")), process, project)
    assert ended(process) == 0
    assert [status for status, _ in ticks(project)] == ["running"]
    assert len(keys(project)) >= 1  # the cell under way was finished, not thrown away
    assert not servers_of(project.folder)

    process = serve(project)
    seen = len(keys(project))
    until(lambda: len(keys(project)) > seen or "done" in ticks(project)[0], process, project)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=60)

    process = serve(project)
    until(lambda: ticks(project)[0][0] == "done", process, project)
    assert ended(process) == 0
    assert len(ticks(project)) == 1, "one slot, whoever carried it out"
    assert len(keys(project)) == 4 and set(keys(project).values()) == {1}
    assert not servers_of(project.folder)


def test_workers_share_a_night_and_double_nothing(tmp_path: Path) -> None:
    project = project_of(tmp_path, token_s=0.01)
    process = serve(project, "--workers", "3")
    until(lambda: bool(ticks(project)) and ticks(project)[0][0] == "done", process, project)
    assert ended(process) == 0
    assert len(keys(project)) == 4 and set(keys(project).values()) == {1}
    owners = {owner for (owner,) in rows(project, "select distinct owner from jobs")}
    assert len(owners) >= 2, (project.folder / "sweep.err").read_text()
    assert not servers_of(project.folder)


def test_a_night_tells_a_webhook_of_its_one_cause_and_metrics_count_it(tmp_path: Path) -> None:
    project = place(tmp_path)
    fallen = {"by_version": {"1.1.0": {"acceptance": [0.0, 0.0, 0.0]}}}
    with receiver() as server:
        notify = f'[notify.team]\nkind = "webhook"\nurl = "{server.url}"\nallow_private = true\n'
        project.write(toml(script=fallen, extra=NIGHTLY + notify))
        process = serve(project)
        until(lambda: rows(project, "select status from messages") == [("sent",)], process, project)
        url = re.findall(r"dashboard at (\S+)", (project.folder / "sweep.err").read_text())[0]
        page = urllib.request.urlopen(f"{url}/metrics", timeout=60).read().decode()
        assert ended(process) == 0
    (told,) = [body for _, _, body in server.got]
    assert (told["kind"], told["revision"], told["engine"], told["total"]) == ("new", "1.1.0", "vllm", 1)
    assert 'specmatrix_runs_total{outcome="ok"} 4.0' in page
    assert 'specmatrix_messages{status="sent"} 1.0' in page
