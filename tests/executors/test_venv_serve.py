"""Servers as processes: what they see, how they end, and that nothing of them stays."""

import json
import mmap
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from matrix.core.errors import InfraError
from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact, Device
from matrix.executors import owner, venv_server
from matrix.executors.processes import OWNER, RUN, group, marked, running
from matrix.executors.venv import VenvExecutor
from tests.executors.venv_kit import answer, cell, executor, plan, reaped, recipe, script, until
from tests.fakes import wheels


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Artifact]:
    """A cache folder that holds the stub engine, and its artifact."""
    root = tmp_path_factory.mktemp("venv")
    wheels.stub_engine(root / "links")
    return root, executor(root, root / "links").build(recipe("stub-engine"), root / "log", print)


@pytest.fixture
def ex(built: tuple[Path, Artifact], tmp_path: Path) -> Iterator[VenvExecutor]:
    """The executor over that cache with a state folder of its own, and a check that the test left no process."""
    root, _ = built
    yield VenvExecutor(root / "cache", tmp_path / "state", settings=lambda: pytest.fail("no build here"), grace_s=2.0)
    assert not marked(lambda environ: environ.get(OWNER) == owner.me())


def of_run(run_id: str) -> list[psutil.Process]:
    return marked(lambda environ: environ.get(RUN) == run_id)


def records(state: Path) -> list[str]:
    return sorted(p.name for p in (state / "servers").glob("*"))


def test_serves_on_loopback_and_leaves_nothing(ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path) -> None:
    seen = []

    def launch(place):  # type: ignore[no-untyped-def]
        seen.append(place)
        return plan()(place)

    log = tmp_path / "logs" / "server.log"
    with ex.serve(built[1], cell(tmp_path), launch, "run-a", log) as server:
        said = answer(server.url)
        assert server.poll() is None
        assert records(tmp_path / "state") == ["run-a.json"]
        assert json.loads((tmp_path / "state/servers/run-a.json").read_text())["owner"] == owner.me()
        scratch = Path(said["cwd"])
        assert scratch == Path(said["env"]["TMPDIR"])
        assert scratch.is_dir()
    assert (seen[0].target, seen[0].draft, seen[0].host) == (str(tmp_path), None, "127.0.0.1")
    assert "run-a" in seen[0].served_name
    assert server.url == f"http://127.0.0.1:{seen[0].port}"
    assert server.command[:3] == (f"{built[1].ref}/bin/python", "-m", "stub_engine.server")
    assert server.stop() == server.poll() == ServerExit(-15, False, "stopped by us")
    assert not of_run("run-a")
    assert not scratch.exists()
    assert records(tmp_path / "state") == []
    assert "stub engine starts" in log.read_text()
    assert "and complains" in log.read_text()


def test_log_is_appended_to(ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path) -> None:
    (tmp_path / "log").write_text("before\n")
    with ex.serve(built[1], cell(tmp_path), plan("--exit", "0"), "run-b", tmp_path / "log") as server:
        until(server.poll)
    assert (tmp_path / "log").read_text().startswith("before\nstub engine starts")


def test_environment_is_the_plan_s_and_little_else(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VLLM_USE_V1", "MY_SECRET", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    monkeypatch.setenv("HF_HOME", "/models")
    launch = plan(env=(("OMP_NUM_THREADS", "2"), ("ADDED", "yes")), unset=("HF_HOME",))
    with ex.serve(built[1], cell(tmp_path), launch, "run-c", tmp_path / "log") as server:
        env = answer(server.url)["env"]
    assert env.keys().isdisjoint(["PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VLLM_USE_V1", "MY_SECRET", "HF_HOME"])
    assert (env["CUDA_VISIBLE_DEVICES"], env["OMP_NUM_THREADS"], env["ADDED"]) == ("3", "2", "yes")
    assert (env[RUN], env[OWNER]) == ("run-c", owner.me())
    assert env["PATH"].startswith(f"{built[1].ref}/bin:")


def test_a_server_sees_its_leased_gpus_alone(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    launch = plan(devices=(Device(3, "GPU-d"), Device(1, "GPU-b")))
    with ex.serve(built[1], cell(tmp_path), launch, "run-g", tmp_path / "log") as server:
        env = answer(server.url)["env"]
    assert (env["CUDA_DEVICE_ORDER"], env["CUDA_VISIBLE_DEVICES"]) == ("PCI_BUS_ID", "3,1")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--exit", "0"), ServerExit(0, False, "exit status 0")),
        (("--exit", "3"), ServerExit(3, False, "exit status 3")),
        (("--signal", "9"), ServerExit(-9, False, "killed by SIGKILL")),
        (("--signal", "6"), ServerExit(-6, False, "killed by SIGABRT")),
    ],
)
def test_end_that_nobody_asked_for_is_told(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path, args: tuple[str, ...], expected: ServerExit
) -> None:
    with ex.serve(built[1], cell(tmp_path), plan(*args), "run-d", tmp_path / "log") as server:
        until(server.poll)
        assert server.poll() == expected
    assert server.stop() == expected, "stopping must not overwrite how it ended"


@pytest.mark.parametrize(
    ("code", "before", "after", "oom"),
    [
        (-9, 4, 5, True),
        (1, 4, 5, True),
        (0, 4, 5, True),
        (-9, 4, 4, False),
        (-9, None, None, True),
        (1, None, None, False),
    ],
)
def test_out_of_memory_is_what_the_kernel_counted(
    monkeypatch: pytest.MonkeyPatch, code: int, before: int | None, after: int | None, oom: bool
) -> None:
    monkeypatch.setattr(venv_server, "oom_kills", lambda: after)
    assert venv_server.how(code, before).oom is oom


@pytest.mark.parametrize("how", ["asked to stop", "crashed"])
def test_stubborn_and_detached_children_end_with_the_server(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path, how: str
) -> None:
    """Two ignore SIGTERM in the group, one of them without the mark; two more left group and parent."""
    more = ("--exit", "1") if how == "crashed" else ()
    with ex.serve(built[1], cell(tmp_path), plan("--children", "4", *more), "run-e", tmp_path / "log") as server:
        leader = json.loads((tmp_path / "state/servers/run-e.json").read_text())["pid"]
        until(lambda: len(of_run("run-e")) >= 3 and (server.poll() if more else answer(server.url)))
        until(lambda: len(unmarked(leader)) == 1)
        until(lambda: sessions(of_run("run-e")) >= 3)
        children = [*of_run("run-e"), *unmarked(leader)]
    assert not any(map(running, children))
    assert not of_run("run-e")


def sessions(processes: list[psutil.Process]) -> int:
    """How many process sessions they are in; those that end meanwhile, as a double fork's middle one does, are in none."""
    found = set()
    for process in processes:
        with suppress(ProcessLookupError):
            found.add(os.getsid(process.pid))
    return len(found)


def unmarked(leader: int) -> list[psutil.Process]:
    """Members of the server's group that wiped their environment."""
    members = [p for p in psutil.process_iter() if group(p.pid) == leader and running(p)]
    return [p for p in members if not p.environ()]


def test_deaf_server_is_killed_after_the_grace(ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path) -> None:
    with ex.serve(built[1], cell(tmp_path), plan("--deaf"), "run-f", tmp_path / "log") as server:
        answer(server.url)
    assert server.poll() == ServerExit(-9, False, "stopped by us")


def test_shared_memory_of_a_killed_server_goes_and_that_of_others_stays(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path
) -> None:
    """The server maps two segments; this process maps one of them too."""
    own, other = (Path("/dev/shm") / f"matrix-test-{os.getpid()}-{n}" for n in range(2))
    other.write_bytes(b"kept" * 1024)
    try:
        args = ("--deaf", "--shared-memory", own.name, other.name)
        with other.open("rb+") as file, mmap.mmap(file.fileno(), 4096):
            with ex.serve(built[1], cell(tmp_path), plan(*args), "run-g", tmp_path / "log") as server:
                answer(server.url)
                assert own.exists()
            assert not own.exists()
            assert other.exists()
    finally:
        other.unlink(missing_ok=True)
        own.unlink(missing_ok=True)


def test_an_exception_or_ctrl_c_inside_the_context_stops_it(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path
) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        ex.serve(built[1], cell(tmp_path), plan(), "run-h", tmp_path / "log") as server,
    ):
        answer(server.url)
        raise KeyboardInterrupt
    assert not of_run("run-h")


def test_stops_from_two_threads_at_once_agree(ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path) -> None:
    server = ex.serve(built[1], cell(tmp_path), plan(), "run-i", tmp_path / "log")
    answer(server.url)
    said: list[ServerExit | None] = []
    threads = [threading.Thread(target=lambda: said.append(server.stop())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [ServerExit(-15, False, "stopped by us")] * 2


def test_server_outlives_the_thread_that_started_it(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path
) -> None:
    servers = []
    thread = threading.Thread(
        target=lambda: servers.append(ex.serve(built[1], cell(tmp_path), plan(), "run-j", tmp_path / "log"))
    )
    thread.start()
    thread.join()
    with servers[0] as server:
        answer(server.url)
        assert server.poll() is None


def test_environment_that_is_gone_is_infra_and_leaves_no_record(ex: VenvExecutor, tmp_path: Path) -> None:
    gone = Artifact("venv", str(tmp_path / "gone"), "", (), 0.0, True)
    with pytest.raises(InfraError, match="cannot start"):
        ex.serve(gone, cell(tmp_path), plan(), "run-k", tmp_path / "log")
    assert records(tmp_path / "state") == []
    assert reaped(ex, "run-k") == []


def test_reap_stops_what_a_killed_owner_left_and_nothing_else(
    ex: VenvExecutor, built: tuple[Path, Artifact], tmp_path: Path
) -> None:
    root, artifact = built
    body = f"""
from matrix.core.recipe import Artifact
root, state = Path({str(root)!r}), Path({str(tmp_path / "state")!r})
ex = VenvExecutor(root / "cache", state, settings=lambda: None)
artifact = Artifact("venv", {artifact.ref!r}, "", (), 0.0, True)
server = ex.serve(artifact, cell(root), plan("--children", "2"), "run-dead", Path({str(tmp_path / "dead.log")!r}))
answer(server.url)
print("up", flush=True)
time.sleep(600)
"""
    killed = script(body)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "up\n"
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    try:
        with ex.serve(artifact, cell(tmp_path), plan(), "run-live", tmp_path / "log") as mine:
            answer(mine.url)
            assert reaped(ex, "run-") == [], "both owners live"
            os.kill(killed.pid, signal.SIGKILL)
            killed.wait()
            orphans = of_run("run-dead")
            assert len(orphans) == 3
            note = tmp_path / "state/servers/run-dead.json"
            scratch = Path(json.loads(note.read_text())["scratch"])
            _forged(note.with_name("run-forged.json"), bystander.pid)

            lines = reaped(ex, "run-")
            assert lines == [
                "stopped the server of run run-dead (3 processes), whose owner had ended",
                "removed the record and the scratch folder of run run-dead",
                "removed the record and the scratch folder of run run-forged",
            ]
            assert not any(map(running, orphans))
            assert not scratch.exists()
            assert bystander.poll() is None, "a process that only has the pid of a record was killed"
            assert answer(mine.url)["env"][RUN] == "run-live"
            assert reaped(ex, "run-") == []
    finally:
        bystander.kill()
        bystander.wait()


def _forged(path: Path, pid: int) -> None:
    """A record of a server whose pid belongs to another process by now."""
    host = owner.me().partition(":")[0]
    path.write_text(
        json.dumps({"run_id": path.stem, "owner": f"{host}:1:0", "scratch": "/nowhere/x", "pid": pid, "starttime": "0"})
    )
