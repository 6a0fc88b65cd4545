"""Environments by the real uv from tiny wheels: made once, whole or not at all."""

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError
from matrix.core.index import IndexSettings
from matrix.executors.processes import BUILD, marked
from matrix.executors.venv import VenvExecutor
from tests.executors.venv_kit import ROOT, executor, reaped, recipe, script, until
from tests.fakes import wheels
from tests.require import require


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def links(tmp_path: Path) -> Path:
    folder = tmp_path / "links"
    wheels.stub_engine(folder, "1.0", ["stub-dep"])
    wheels.wheel(folder, "stub-dep", "0.9")
    return folder


def environments(root: Path) -> list[Path]:
    return [p for p in (root / "cache" / "envs").glob("*") if p.is_dir()]


def test_build_gives_a_working_locked_environment_and_the_second_time_nothing_is_done(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    ex, wanted, notes = executor(tmp_path, links), recipe("stub-engine==1.0"), []
    assert not ex.built(wanted)
    first = ex.build(wanted, tmp_path / "log", notes.append)
    assert (first.kind, first.reused, first.lock) == ("venv", False, ("stub-dep==0.9", "stub-engine==1.0"))
    assert first.build_s > 0
    assert len(notes) == 1
    assert "stub-engine==1.0" in (tmp_path / "log").read_text()
    env = Path(first.ref)
    subprocess.run([env / "bin/python", "-c", "import stub_engine.server"], check=True)
    assert list(env.glob("lib/*/site-packages/stub_engine/__pycache__/server*.pyc")), "bytecode was not compiled"

    before = sorted((p, p.stat().st_mtime_ns) for p in env.rglob("*"))
    again = executor(tmp_path, links).build(wanted, tmp_path / "log", notes.append)
    assert (again.reused, again.build_s, again.digest, again.lock) == (True, 0.0, first.digest, first.lock)
    assert before == sorted((p, p.stat().st_mtime_ns) for p in env.rglob("*"))
    assert ex.built(wanted)
    assert len(notes) == 1


def test_digest_follows_the_lock_and_recipes_do_not_share_an_environment(tmp_path: Path, links: Path) -> None:
    ex = executor(tmp_path, links)
    one = ex.build(recipe("stub-engine==1.0"), tmp_path / "log", print)
    same_lock = ex.build(recipe("stub-engine==1.0", "stub-dep"), tmp_path / "log", print)
    less = ex.build(recipe("stub-engine==1.0", remove=("stub-dep",)), tmp_path / "log", print)
    assert one.digest == same_lock.digest != less.digest
    assert less.lock == ("stub-engine==1.0",)
    assert len({one.ref, same_lock.ref, less.ref}) == 3


def test_modules_of_the_recipe_are_compiled_and_the_rest_is_left(tmp_path: Path, links: Path) -> None:
    wanted = recipe("stub-engine==1.0", modules=("stub_engine.server", "no_such_module"))
    env = Path(executor(tmp_path, links).build(wanted, tmp_path / "log", print).ref)
    compiled = {p.name.partition(".")[0] for p in env.glob("lib/*/site-packages/**/*.pyc")}
    assert "server" in compiled
    assert "stub_dep" not in compiled


@pytest.mark.parametrize("damage", ["no marker", "torn marker", "no python"])
def test_half_made_environment_is_never_used(tmp_path: Path, links: Path, damage: str) -> None:
    ex, wanted = executor(tmp_path, links), recipe("stub-engine==1.0")
    env = Path(ex.build(wanted, tmp_path / "log", print).ref)
    (env / "stale").touch()
    if damage == "no python":
        (env / "bin/python").unlink()
    else:
        text = (env / "specmatrix.json").read_text()
        (env / "specmatrix.json").unlink()
        if damage == "torn marker":
            (env / "specmatrix.json").write_text(text[: len(text) // 2])
    assert not ex.built(wanted)
    assert not ex.build(wanted, tmp_path / "log", print).reused
    assert not (env / "stale").exists()


def test_two_processes_build_the_same_environment_once(tmp_path: Path, links: Path) -> None:
    body = f"""
ex = executor(Path({str(tmp_path)!r}), Path({str(links)!r}))
artifact = ex.build(recipe("stub-engine==1.0"), Path({str(tmp_path / "log")!r}), lambda text: None)
print(artifact.reused, artifact.digest)
"""
    both = [script(body), script(body)]
    said = sorted(process.communicate(timeout=60)[0].split() for process in both)
    assert [reused for reused, _ in said] == ["False", "True"]
    assert said[0][1] == said[1][1]


def test_unresolvable_version_says_what_is_missing_and_leaves_nothing(tmp_path: Path, links: Path) -> None:
    notes: list[str] = []
    with pytest.raises(BuildError) as caught:
        executor(tmp_path, links).build(recipe("stub-engine==9.9", torch_cpu=True), tmp_path / "log", notes.append)
    assert "no version of stub-engine==9.9" in str(caught.value)
    assert str(tmp_path / "log") in caught.value.hint
    assert "unsatisfiable" in caught.value.excerpt
    assert environments(tmp_path) == []
    assert any("trying pip" in note for note in notes)
    assert not any("torch" in note for note in notes), "another torch index cannot help here"
    assert "No matching distribution" in (tmp_path / "log").read_text()


def test_pip_steps_in_where_uv_refuses(tmp_path: Path, links: Path) -> None:
    """uv takes no address as the requirement of a requirement; pip does."""
    side = wheels.wheel(tmp_path / "side", "stub-side", "1.0")
    wheels.stub_engine(links, "2.0", [f"stub-side @ {side.as_uri()}"])
    notes: list[str] = []
    ex = executor(tmp_path, links)
    artifact = ex.build(recipe("stub-engine==2.0"), tmp_path / "log", notes.append)
    assert any("trying pip" in note for note in notes)
    assert any("trying pip" in note for note in artifact.notes)
    assert any(line.startswith("stub-side") for line in artifact.lock)
    subprocess.run([Path(artifact.ref) / "bin/python", "-c", "import stub_engine, stub_side"], check=True)
    assert ex.build(recipe("stub-engine==2.0"), tmp_path / "log", print).notes == artifact.notes


def test_cpu_torch_index_is_asked_when_torch_is_what_is_missing(
    tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    # A wheel for another Python, as a find-links folder may hold one.
    wheels.wheel(links, "torch", "2.0", tag="cp30-cp30-linux_x86_64")
    wheels.stub_engine(links, "3.0", ["torch"])
    empty = tmp_path / "index"
    empty.mkdir()
    # The proxy that nobody runs keeps the fallback from the network.
    settings = IndexSettings(index_url=empty.as_uri(), find_links=(str(links),), proxy="http://127.0.0.1:9")
    ex = VenvExecutor(tmp_path / "cache", tmp_path / "state", settings=lambda: settings)
    notes: list[str] = []
    with pytest.raises(InfraError, match="network"):
        ex.build(recipe("stub-engine==3.0", torch_cpu=True), tmp_path / "log", notes.append)
    assert any("CPU torch index" in note for note in notes)
    assert "--torch-backend cpu" in (tmp_path / "log").read_text()


def test_index_that_does_not_answer_is_no_fault_of_the_engine_and_credentials_stay_hidden(tmp_path: Path) -> None:
    settings = IndexSettings(index_url="http://someone:hunter2@127.0.0.1:9/simple")
    ex = VenvExecutor(tmp_path / "cache", tmp_path / "state", settings=lambda: settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UV_HTTP_RETRIES", "0")
        with pytest.raises(InfraError) as caught:
            ex.build(recipe("stub-engine"), tmp_path / "log", print)
    assert "127.0.0.1:9" in str(caught.value)
    assert "hunter2" not in str(caught.value) + repr(settings) + (tmp_path / "log").read_text()
    assert environments(tmp_path) == []


def test_python_that_this_host_lacks_is_an_environment_mismatch(tmp_path: Path, links: Path) -> None:
    with pytest.raises(EnvironmentMismatchError, match=r"3\.99"):
        executor(tmp_path, links, python="3.99").built(recipe("stub-engine"))


def test_another_python_gets_another_environment(tmp_path: Path, links: Path) -> None:
    fake = tmp_path / "python-fake"
    fake.write_text(
        f'#!/bin/sh\ncase "$*" in *json*) echo \'["3.8.1", "elsewhere"]\';; *) exec {sys.executable} "$@";; esac\n'
    )
    fake.chmod(0o755)
    executor(tmp_path, links).build(recipe("stub-engine"), tmp_path / "log", print)
    assert not executor(tmp_path, links, python=str(fake)).built(recipe("stub-engine"))
    assert executor(tmp_path, links, python=sys.executable).built(recipe("stub-engine"))


def test_killed_build_leaves_nothing_usable_and_its_installer_is_ended(tmp_path: Path, links: Path) -> None:
    started = tmp_path / "started"
    wheels.slow_source(links, "slow-thing", "1.0", started)
    args = f"Path({str(tmp_path)!r}), Path({str(links)!r})"
    owner = script(f"executor({args}).build(recipe('slow-thing'), Path({str(tmp_path / 'log')!r}), print)")
    until(lambda: started.exists() and started.read_text())
    backend = psutil.Process(int(started.read_text()))
    live = executor(tmp_path, links)
    (half,) = environments(tmp_path)
    assert reaped(live, half.name) == [], "the owner lives, so nothing may be touched"
    assert backend.is_running()
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    assert not live.built(recipe("slow-thing"))
    foreign = half.with_name("0123456789abcdef")
    foreign.mkdir()
    (foreign / "keep").touch()
    assert reaped(live, half.name) == [f"removed the half-made environment {half.name}"]
    assert not marked(lambda environ: environ.get(BUILD) == str(half))
    assert not half.exists()
    assert (foreign / "keep").exists()
    assert reaped(live, half.name) == []


def test_new_build_ends_the_installer_of_a_killed_one_before_it_starts(tmp_path: Path, links: Path) -> None:
    started = tmp_path / "started"
    wheels.slow_source(links, "stub-extra", "1.0", started)
    args = f"Path({str(tmp_path)!r}), Path({str(links)!r})"
    owner = script(f"executor({args}).build(recipe('stub-extra'), Path({str(tmp_path / 'log')!r}), print)")
    until(lambda: started.exists() and started.read_text())
    backend = psutil.Process(int(started.read_text()))
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    (links / "stub_extra-1.0.tar.gz").unlink()
    wheels.wheel(links, "stub-extra", "1.0")
    artifact = executor(tmp_path, links).build(recipe("stub-extra"), tmp_path / "log", print)
    assert artifact.lock == ("stub-extra==1.0",)
    assert not backend.is_running() or backend.status() == psutil.STATUS_ZOMBIE


def test_interrupted_build_cleans_up_at_once(tmp_path: Path, links: Path) -> None:
    started = tmp_path / "started"
    wheels.slow_source(links, "slow-thing", "1.0", started)
    args = f"Path({str(tmp_path)!r}), Path({str(links)!r})"
    owner = script(f"executor({args}).build(recipe('slow-thing'), Path({str(tmp_path / 'log')!r}), print)", stderr=-3)
    until(lambda: started.exists() and started.read_text())
    os.kill(owner.pid, signal.SIGINT)
    owner.wait(timeout=20)
    assert environments(tmp_path) == []
    assert not marked(lambda environ: str(tmp_path) in environ.get(BUILD, ""))


def test_full_disk_is_infra_names_the_next_step_and_leaves_nothing(tmp_path: Path, links: Path) -> None:
    require("root", os.geteuid() == 0 and shutil.which("unshare") is not None, "mounting a small disk needs root")
    wheels.wheel(links, "stub-big", "1.0", {"stub_big.bin": os.urandom(6 << 20)})
    disk = tmp_path / "disk"
    disk.mkdir()
    body = f"""
        import os
        from pathlib import Path
        from tests.executors.venv_kit import executor, recipe
        os.environ.pop("UV_CACHE_DIR")
        disk = Path({str(disk)!r})
        try:
            executor(disk, Path({str(links)!r})).build(recipe("stub-big"), Path({str(tmp_path / "log")!r}), print)
        except Exception as exc:
            print(type(exc).__name__, exc)
        print([p.name for p in (disk / "cache/envs").iterdir() if p.is_dir()])
    """
    mount = f'mount -t tmpfs -o size=4m tmpfs {disk} && exec "$0" -c "$1"'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mount, sys.executable, textwrap.dedent(body)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    *_, error, left = done.stdout.strip().splitlines()
    assert re.match(r"InfraError .*No space left on device.*free space", error), done.stdout + done.stderr
    assert left == "[]"
