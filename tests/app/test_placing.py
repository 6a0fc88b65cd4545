"""Cells sent to a cluster: what comes back is what a run here gives; Ray itself is played by this process."""

import pickle
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from matrix.app.placing import TRIES, Mirror, run_placed
from matrix.app.secret_env import Secrets
from matrix.app.sweep import run_sweep
from matrix.core.cell import Cell
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.executors.on_ray import NodeLostError, RayExecutor, Wants
from matrix.store import ClaimLostError, Store
from tests.app.build import FakeExecutor, Seen, bench, cell
from tests.app.test_sweep import plan
from tests.fakes.engine import Script

SECRET = "hf_0123456789abcdef"


def served() -> FakeExecutor:
    """What a node makes for each cell."""
    made = FakeExecutor(eagle=Script(acceptance=[0.7, 0.45, 0.25]))
    made.log_text = "a line of the engine\n"
    return made


@dataclass
class Cluster:
    """How the played nodes behave: `lost` streams end with their node, `gpus` are what each cell gets."""

    lost: int = 0
    gpus: tuple[int, ...] = ()
    cells: int = 1
    sent: list[Any] = field(default_factory=list)


class PlayedRay(RayExecutor):
    """Carries the work through a pickle, as Ray does, and runs it in this process."""

    def __init__(self, cluster: Cluster, there: Callable[[], Any] = served) -> None:
        super().__init__("fake", Wants(), there)
        self.cluster = cluster

    def stream(self, work: Any, gpus: int, name: str) -> Generator[Any, None, None]:
        work = pickle.loads(pickle.dumps(work))
        self.cluster.sent.append(work.args[0])
        for event in work(self.cluster.gpus):
            yield pickle.loads(pickle.dumps(event))
            if self.cluster.lost:
                self.cluster.lost -= 1
                raise NodeLostError("its node was lost")

    def room(self, gpus: int) -> int:
        return self.cluster.cells

    def reap(self) -> list[str]:
        return []


@pytest.fixture
def at(tmp_path: Path) -> Callable[[Cell], Cell]:
    """The cell with models that exist."""
    folder = tmp_path / "model"
    folder.mkdir()

    def moved(of: Cell) -> Cell:
        target = Model(of.target.name, str(folder), of.target.source, of.target.name)
        draft = of.spec.draft and replace(target, name=of.spec.draft.name)
        return replace(of, target=target, spec=replace(of.spec, draft=draft))

    return moved


@pytest.fixture(autouse=True)
def _same_hardware(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matrix.sources.hardware.detect", lambda: Hardware("test cpu", 2))


def sent(of: Cell, cluster: Cluster, tmp_path: Path, store: Store, **more: Any) -> Any:
    made = bench(FakeExecutor(), tmp_path, request_s=5)
    made = replace(made, executor=PlayedRay(cluster), secrets=Secrets({"HF_TOKEN": (SECRET,)}), **more)
    return run_placed(of, made, "run1", Mirror(store))


def test_result_and_log_come_home_with_the_place(tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]) -> None:
    result = sent(at(cell("eagle")), Cluster(), tmp_path, stored)
    assert (result.outcome, result.run_id) == (Outcome.OK, "run1")
    assert result.counters.accepted and "probe" in dict(result.phases)
    assert Path(result.log_path).read_text() == "a line of the engine\n"
    assert Path(result.log_path).parent == tmp_path
    assert [note for note in result.artifact.notes if note.startswith("placed by Ray on ")]


def test_a_cell_whose_node_is_lost_is_queued_again(tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]) -> None:
    cluster = Cluster(lost=TRIES - 1)
    assert sent(at(cell("eagle")), cluster, tmp_path, stored).outcome is Outcome.OK
    assert len(cluster.sent) == TRIES


def test_one_that_loses_every_node_is_no_evidence(tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]) -> None:
    cluster = Cluster(lost=99)
    result = sent(at(cell("eagle")), cluster, tmp_path, stored)
    assert result.outcome is Outcome.INFRA and f"lost {TRIES} times" in result.reason
    assert len(cluster.sent) == TRIES


def test_what_cannot_run_is_sent_nowhere(tmp_path: Path, stored: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster()
    monkeypatch.setattr("matrix.engines.vllm.VllmAdapter.unsupported", lambda self, cell: "it has no EAGLE-3")
    assert sent(cell("eagle"), cluster, tmp_path, stored).outcome is Outcome.UNSUPPORTED
    assert cluster.sent == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"hardware": Hardware("another cpu", 64)}, "cpu another cpu x64"),
        ({"target": Model("big", "/nowhere/big", "big", "x")}, "no folder /nowhere/big"),
    ],
)
def test_a_node_that_does_not_fit_is_the_machines_fault(
    changed: dict[str, Any], why: str, tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]
) -> None:
    result = sent(replace(at(cell("eagle")), **changed), Cluster(), tmp_path, stored)
    assert result.outcome is Outcome.INFRA and why in result.reason and result.failure.next_step


def test_the_lease_shows_the_place_and_decides_nothing(
    tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]
) -> None:
    seen: list[list[tuple[int, str]]] = []

    class Looking(Seen):
        def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
            if phase == "probe":
                seen.append([(lease.gpu, lease.purpose) for lease in stored.leases.held()])

    for_ray = at(cell("eagle"))
    sent(for_ray, Cluster(gpus=(3,)), tmp_path, stored, progress=Looking())
    assert seen[0] == [(3, f"{for_ray.label} (Ray)")]
    assert stored.leases.held() == []
    host = _host(tmp_path, stored, for_ray)
    stored.leases.take(host, [3], 1, "somebody:1:2", purpose="theirs", ttl_s=100)
    assert sent(for_ray, Cluster(gpus=(3,)), tmp_path, stored).outcome is Outcome.OK
    assert [lease.purpose for lease in stored.leases.held()] == ["theirs"]


def _host(tmp_path: Path, store: Store, of: Cell) -> str:
    note: str = sent(of, Cluster(), tmp_path, store).artifact.notes[-1]
    return note.removeprefix("placed by Ray on ")


def test_a_claim_that_is_lost_ends_the_run(tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]) -> None:
    def lost() -> None:
        raise ClaimLostError("another worker has taken this cell over")

    made = replace(bench(FakeExecutor(), tmp_path), executor=PlayedRay(Cluster()))
    with pytest.raises(ClaimLostError):
        run_placed(at(cell("eagle")), made, "run1", Mirror(stored), lost)


def test_secrets_of_a_parcel_are_not_shown(tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]) -> None:
    cluster = Cluster()
    sent(at(cell("eagle")), cluster, tmp_path, stored)
    assert cluster.sent[0].secrets.values == (SECRET,)
    assert SECRET not in repr(cluster.sent[0])


def test_a_sweep_runs_several_cells_at_once_and_drafts_after_their_baseline(
    tmp_path: Path, stored: Store, at: Callable[[Cell], Cell]
) -> None:
    cells = [at(cell(spec, version)) for version in ("1.0.0", "1.1.0") for spec in ("baseline", "eagle")]
    cluster = Cluster(cells=4)
    outcome = run_sweep(plan(tmp_path, *cells), PlayedRay(cluster), stored, Seen())
    assert (outcome.runs, outcome.infra, outcome.measured) == (4, 0, 4)
    drafts = [parcel for parcel in cluster.sent if not parcel.cell.spec.is_baseline]
    assert len(drafts) == 2 and all(parcel.baseline is not None for parcel in drafts)
    assert all(row.baseline_tok_s for row in stored.read.results() if row.spec == "eagle")
