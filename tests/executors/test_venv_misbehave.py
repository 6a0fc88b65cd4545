"""Engines that log or eat without end, as processes of this host."""

from pathlib import Path

import pytest

from matrix.core.errors import InfraError
from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact
from matrix.executors.caplog import CappedLog
from matrix.executors.processes import RUN, marked
from matrix.executors.venv import VenvExecutor
from tests.executors.disk import most_used
from tests.executors.venv_kit import answer, cell, executor, plan, recipe, until
from tests.fakes import wheels

CAP = 8 * 2**20
MIB = 2**20


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Artifact]:
    root = tmp_path_factory.mktemp("venv")
    wheels.stub_engine(root / "links")
    return root, executor(root, root / "links").build(recipe("stub-engine"), root / "log", print)


def serving(built: tuple[Path, Artifact], tmp_path: Path, *args: str, **options: object):  # type: ignore[no-untyped-def]
    ex = VenvExecutor(
        built[0] / "cache", tmp_path / "state", settings=lambda: pytest.fail("no build here"), grace_s=2.0, **options
    )
    return ex.serve(built[1], cell(tmp_path), plan(*args), "run-x", tmp_path / "logs" / "server.log")


def test_a_log_of_300_mb_stays_below_its_cap_and_keeps_both_ends(built: tuple[Path, Artifact], tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    with most_used(folder) as most, serving(built, tmp_path, "--flood", "300", log_cap=CAP) as server:
        until(server.poll, within_s=120)
    assert server.poll() == ServerExit(3, detail="exit status 3")
    assert most[0] <= 2 * CAP
    text = (folder / "server.log").read_text()
    assert text.startswith("stub engine starts\n")
    assert text.endswith("the cause\n")
    assert "bytes are cut out here]" in text
    assert len(text) <= CAP


def test_a_server_over_its_memory_is_killed_with_its_children(built: tuple[Path, Artifact], tmp_path: Path) -> None:
    with serving(built, tmp_path, "--eat", "200", memory=100 * MIB) as server:
        until(server.poll, within_s=60)
        gone = server.poll()
    assert gone is not None and gone.oom
    assert "more than [venv] memory_gib = 0.09" in gone.detail
    assert marked(lambda environ: environ.get(RUN) == "run-x") == []


def test_a_server_within_its_memory_lives(built: tuple[Path, Artifact], tmp_path: Path) -> None:
    with serving(built, tmp_path, memory=2**34) as server:
        answer(server.url)
        server._watch._ending.wait(1.2)  # two looks
        assert server.poll() is None


def test_a_log_that_cannot_be_written_is_the_machines_fault(
    built: tuple[Path, Artifact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: CappedLog, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CappedLog, "write", full)
    with serving(built, tmp_path) as server:
        answer(server.url)
        until(lambda: server._pump.error)
        with pytest.raises(InfraError, match=r"cannot write the server's log: .*No space left"):
            server.poll()
