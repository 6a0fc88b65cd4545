"""Config to cells: the product of its tables, minus exclusions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, SpecConfig
from matrix.core.workload import Workload
from matrix.plan.config import Config, EngineTable, ExcludeTable, SpecTable
from matrix.plan.install import default_gpus
from matrix.plan.select import fields, matches


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the config's names turned out to be; gathered at the edge so that expansion stays pure."""

    versions: Mapping[str, Sequence[Revision]]
    targets: Mapping[str, Model]
    drafts: Mapping[str, Model]
    workloads: Mapping[str, Workload]
    hardware: Hardware
    executor: str
    sites: Mapping[str, str] = field(default_factory=dict)
    clones: Mapping[str, str] = field(default_factory=dict)
    passed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By engine: marks of the variables that `env_from` names."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A cell that was left out, and the human reason for it."""

    cell: Cell
    reason: str
    link: str | None


@dataclass(frozen=True, slots=True)
class Expansion:
    """Cells in the order they should run: by revision and artifact, each target's baseline before its drafts."""

    cells: tuple[Cell, ...]
    excluded: tuple[Exclusion, ...]


def expand(config: Config, inputs: Inputs, selectors: Sequence[str] = ()) -> Expansion:
    """All cells that `selectors` ask for, with the baselines they need."""
    wanted: dict[Cell, None] = {}
    excluded: list[Exclusion] = []
    for cell in _product(config, inputs):
        if not matches(cell, selectors):
            continue
        rule = _excluding(cell, config.exclude)
        if rule is not None:
            excluded.append(Exclusion(cell, rule.reason, rule.link))
            continue
        if _excluding(cell.baseline, config.exclude) is None:
            wanted.setdefault(cell.baseline)
        wanted.setdefault(cell.baseline if cell.spec.is_baseline else cell)
    return Expansion(_ordered(wanted), tuple(excluded))


def _ordered(cells: Mapping[Cell, None]) -> tuple[Cell, ...]:
    """Groups the cells of one revision, and of one artifact of it, baselines first; the file's order is kept otherwise.

    So one worker needs each environment or image once and in one piece, whatever tables the cells come from.
    """
    revisions = {cell.revision: i for i, cell in reversed(list(enumerate(cells)))}
    artifacts = {_artifact(cell): i for i, cell in reversed(list(enumerate(cells)))}
    return tuple(sorted(cells, key=lambda c: (revisions[c.revision], artifacts[_artifact(c)], not c.spec.is_baseline)))


def _artifact(cell: Cell) -> tuple[Revision | str, ...]:
    """What decides which environment or image serves the cell."""
    return cell.revision, cell.install, cell.site, cell.python, cell.clone


def _product(config: Config, inputs: Inputs) -> Iterator[Cell]:
    for engine_name, engine in config.engines.items():
        for revision in inputs.versions[engine_name]:
            for target in inputs.targets.values():
                for spec in _specs(config, inputs, engine_name, target.name):
                    for workload in inputs.workloads.values():
                        yield Cell(
                            revision=revision,
                            target=target,
                            spec=spec,
                            launch=_launch(engine, inputs.passed.get(engine_name, {})),
                            workload=workload,
                            hardware=inputs.hardware,
                            executor=inputs.executor,
                            install=engine.install,
                            site=inputs.sites.get(engine_name, ""),
                            python=engine.python or "",
                            clone=inputs.clones.get(engine_name, ""),
                        )


def _specs(config: Config, inputs: Inputs, engine: str, target: str) -> Iterator[SpecConfig]:
    yield BASELINE
    for name, table in config.specs.items():
        if _any(engine, table.engines) and _any(target, table.targets):
            yield _spec(name, table, inputs)


def _spec(name: str, table: SpecTable, inputs: Inputs) -> SpecConfig:
    return SpecConfig(
        name=name,
        method=table.method,
        draft=inputs.drafts[table.draft] if table.draft else None,
        k=table.most,
        topk=table.topk,
        draft_tokens=table.draft_tokens,
        extra=tuple(sorted(table.extra.items())),
    )


def _launch(engine: EngineTable, passed: Mapping[str, str]) -> LaunchOptions:
    return LaunchOptions(
        flags=tuple(engine.flags),
        env=tuple(sorted({**engine.env, **passed}.items())),
        max_model_len=engine.max_model_len,
        dtype=engine.dtype,
        gpus=default_gpus(engine),
    )


def _excluding(cell: Cell, rules: Sequence[ExcludeTable]) -> ExcludeTable | None:
    return next((rule for rule in rules if _excludes(rule, cell)), None)


def _excludes(rule: ExcludeTable, cell: Cell) -> bool:
    names = fields(cell)
    plain = ("engine", "target", "spec", "draft", "workload")
    return all(fnmatchcase(names[f], getattr(rule, f)) for f in plain) and _version_matches(
        names["revision"], rule.version
    )


def _version_matches(version: str, pattern: str) -> bool:
    if fnmatchcase(version, pattern):
        return True
    try:
        return SpecifierSet(pattern).contains(version, prereleases=True)
    except InvalidSpecifier:
        return False


def _any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, p) for p in patterns)
