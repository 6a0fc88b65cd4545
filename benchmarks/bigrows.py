"""What `benchmarks.bigstore` multiplies: series, the shapes that their runs have, and where each run stands."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from types import SimpleNamespace
from typing import Any

from benchmarks.bigruns import LOCK, PROMPTS, TOKENS, K, run_of, samples_of
from matrix.core.cell import Cell, LaunchOptions
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.result import Failure, RunResult
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store
from matrix.store.contents import put_lock, put_workload
from matrix.store.jsonio import dumps
from matrix.store.runrow import run_to_row
from matrix.store.samplerow import sample_to_row
from matrix.store.squares import square
from matrix.store.tables import series as table

Row = dict[str, Any]
REVISION = "@revision@"
ENGINES = ("sglang", "vllm")
TARGETS = tuple(f"lab/target-{n}-{size}B" for n, size in enumerate((1, 2, 3, 7, 8, 13, 32, 34, 70, 72)))
MACHINES = (("H100", 1), ("H200", 1), ("H200", 4), ("L40S", 2))
WORKLOADS = ("code", "chat", "mixed", "long", "short")
DRAFTS = ("eagle3-a", "eagle3-b", "eagle3-c", "eagle3-d")
LEVELS, VARIANTS = 8, 16
_BEGIN, _DAY = 1_700_000_000.0, 86_400.0
_CRASH = Failure(
    Outcome.LOAD_CRASH, "KeyError: 'draft_model.t2d'", "look at the log", "KeyError t2d", "KeyError: 't2d'"
)
_OUTPUT, _NOISE = "The draft changed no text beyond rounding.", 0.011
_WHY = {
    "healthy": "Within noise of the reference: accept length fell by 0.4 % (95 % interval -0.9 to 1.6 %).",
    "collapsed": "Accept length fell by 63 % (95 % interval 61 to 65 %, 16 paired prompts).",
    "broken": "KeyError: 'draft_model.t2d'",
    "not-applicable": "a baseline has no accept length",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One series: its cell, the key of its baseline, its level, and the revisions [first, end) in which it is bad."""

    number: int
    cell: Cell
    baseline: str
    bad: tuple[int, int]
    key: str

    @property
    def plain(self) -> bool:
        return self.cell.spec.is_baseline

    def state(self, revision: int) -> str:
        if self.plain:
            return "not-applicable"
        if not self.bad[0] <= revision < self.bad[1]:
            return "healthy"
        return "broken" if self.number % 2 else "collapsed"

    def said(self, revision: int) -> tuple[str, str, str, str, float | None]:
        """State and reason of its square, those of its accept length, and the noise of that."""
        state = self.state(revision)
        if self.plain:
            return "healthy", _OUTPUT, state, _WHY[state], None
        return state, _WHY[state], state, _WHY[state], _NOISE

    def shape(self, revision: int, boot: int) -> str:
        variant = (revision * 7 + self.number * 13 + boot * 5) % VARIANTS
        state = self.state(revision)
        if state == "broken":
            return "crash"
        level = "base" if self.plain else "flat" if state == "collapsed" else str(self.number % LEVELS)
        return f"{level}-{variant}"


class Plan:
    """All that is multiplied, for this many revisions of each engine."""

    def __init__(self, revisions: int) -> None:
        self.revisions = revisions
        self.lines = list(_lines(revisions))

    @property
    def runs(self) -> int:
        return len(list(_boots(self.revisions))) * len(self.lines)

    def save_shared(self, store: Store) -> None:
        """The workloads and the lock, which rows refer to."""
        with store._db.write() as conn:
            put_lock(conn, LOCK)
            for name in WORKLOADS:
                put_workload(conn, _workload(name))

    @cached_property
    def shapes(self) -> list[Row]:
        return [{"shape": name, **_shape(run)} for name, run in _runs(self.lines)]

    @cached_property
    def shape_samples(self) -> list[Row]:
        return [
            {"shape": name, **_plain(sample_to_row(0, i, sample), "run")}
            for name, run in _runs(self.lines)
            for i, sample in enumerate(run.samples)
        ]

    @property
    def base(self) -> list[Row]:
        """A row of `runs` for each series; what a shape or a place tells is put over it."""
        lock = hashlib.sha256("\n".join(LOCK).encode()).hexdigest()
        nothing = {"id": None, "sweep_id": None, "lock_ref": lock, "log_ref": None, "log_bytes": None}
        return [nothing | _plain(run_to_row(run_of(line.cell))) for line in self.lines]

    @property
    def series(self) -> list[Row]:
        names = [c.name for c in table.c if c.name not in ("runs", "mark")]
        count = {"runs": len(list(_boots(self.revisions))), "mark": 1}
        return [{n: row[n] for n in names} | count for row in self.base]

    @property
    def judged(self) -> list[Row]:
        names = ("series_key", "engine", "hardware")
        return [{n: row[n] for n in names} | {"thresholds": "{}", "noise": None} for row in self.base]

    @property
    def metrics(self) -> list[Row]:
        numbers = dumps(
            {"before": 2.41, "after": 2.4, "change": -0.004, "low": -0.009, "high": 0.016, "noise": _NOISE, "pairs": 16}
        )
        speed = ("speed", "unknown", "not judged: no noise measured", dumps({"after": 81.5, "before": 81.1}))
        output = ("output", "healthy", _OUTPUT, dumps({"pairs": 16, "differ": 0}))
        rows = (("accept-length", "", "", numbers), speed, output)
        return [dict(zip(("metric", "state", "reason", "numbers"), row, strict=True)) for row in rows]

    def places(self) -> Iterator[tuple[Any, ...]]:
        """Where each run stands, in the order of time."""
        number = 0
        for revision, boot in _boots(self.revisions):
            newest = boot == _last_boot(revision)
            for line in self.lines:
                number += 1
                yield (
                    number,
                    run_id(number),
                    line.key,
                    line.baseline,
                    revision,
                    version(line.cell.revision.engine, revision),
                    boot,
                    line.shape(revision, boot),
                    newest,
                    *line.said(revision),
                    _BEGIN + revision * _DAY + boot * _DAY / 2 + line.number * 20,
                )

    def flips(self) -> Iterator[Row]:
        """The fall of each series that fell, and its repair."""
        for line in self.lines:
            first, end = line.bad
            if line.plain or first >= end:
                continue
            bad = line.state(first)
            stands = end >= self.revisions
            yield self._flip(line, "regression", first, ("healthy", bad), standing=stands)
            if not stands:
                yield self._flip(line, "fixed", end, (bad, "healthy"), standing=True)

    def _flip(self, line: Line, change: str, at: int, states: tuple[str, str], *, standing: bool) -> Row:
        engine = line.cell.revision.engine
        moment = _BEGIN + at * _DAY + line.number * 20
        return {
            "series_key": line.key,
            "metric": "accept-length",
            "change": change,
            "from_revision": version(engine, at - 1),
            "to_revision": version(engine, at),
            "before": states[0],
            "after": states[1],
            "reason": _WHY[states[1]],
            "from_run": run_id(self._number(line, at - 1)),
            "to_run": run_id(self._number(line, at)),
            "standing": standing,
            "created_at": moment,
            "announced_at": moment,
        }

    def _number(self, line: Line, revision: int) -> int:
        before = [place for place in _boots(self.revisions) if place < (revision, _last_boot(revision))]
        return len(before) * len(self.lines) + line.number + 1


def plan(runs: int) -> Plan:
    """For about this many runs; ValueError below 10,000."""
    if runs < 10_000:
        raise ValueError(f"{runs} runs are fewer than four revisions of 2,000 series: give 10000 or more")
    return Plan(runs // 2500)


def run_id(number: int) -> str:
    """Of the run in this row: spread over all of 64 bits, as the ids of real runs are."""
    return f"{(number * 0x9E3779B97F4A7C15) % 2**64:016x}"


def version(engine: str, revision: int) -> str:
    """Every 25th is a release, those after it are nightlies of the next."""
    minor, day = divmod(revision, 25)
    release = f"0.5.{4 + minor}" if engine == "sglang" else f"0.{11 + minor}.0"
    if day == 0:
        return release
    following = f"0.5.{5 + minor}" if engine == "sglang" else f"0.{12 + minor}.0"
    return f"{following}.dev{20260000 + revision}+g{hashlib.sha256(f'{engine}{revision}'.encode()).hexdigest()[:9]}"


def _boots(revisions: int) -> Iterator[tuple[int, int]]:
    for revision in range(revisions):
        for boot in range(_last_boot(revision) + 1):
            yield revision, boot


def _last_boot(revision: int) -> int:
    return int(revision % 4 == 3)


def _lines(revisions: int) -> Iterator[Line]:
    number = 0
    for engine, target, machine, workload in product(ENGINES, TARGETS, MACHINES, WORKLOADS):
        plain = _cell(engine, target, machine, workload)
        key = plain.series_key
        for draft in (None, *DRAFTS):
            cell = plain if draft is None else replace(plain, spec=_spec(target, draft))
            yield Line(number, cell, key, _bad(number, revisions), cell.series_key)
            number += 1


def _bad(number: int, revisions: int) -> tuple[int, int]:
    if number % 50 == 7:
        return revisions - 2, revisions
    if number % 3:
        return revisions, revisions
    first = 1 + number * 31 % (revisions - 2)
    return first, min(first + 1 + number % 5, revisions - 1)


def _cell(engine: str, target: str, machine: tuple[str, int], workload: str) -> Cell:
    gpu, count = machine
    return Cell(
        revision=Revision(engine, REVISION),
        target=_model(target),
        spec=BASELINE,
        launch=LaunchOptions(),
        workload=_workload(workload),
        hardware=Hardware("Xeon", 16, gpu, count, "570.10", "12.8"),
        executor="venv",
        install="pip",
    )


def _spec(target: str, draft: str) -> SpecConfig:
    return SpecConfig(draft, Method.EAGLE3, _model(f"{target}-{draft}"), k=K)


def _model(name: str) -> Model:
    return Model(name, f"/models/{name}", name, hashlib.sha256(name.encode()).hexdigest())


def _workload(name: str) -> Workload:
    return Workload(name, tuple(Prompt(f"{name}-{i:02}", name, f"{name} prompt {i}") for i in range(PROMPTS)), TOKENS)


def _runs(lines: list[Line]) -> Iterator[tuple[str, RunResult]]:
    """A run of each shape, by the shape's name."""
    plain, spoken = lines[0].cell, lines[1].cell
    for variant in range(VARIANTS):
        yield f"base-{variant}", replace(run_of(plain), samples=samples_of(None, variant))
        yield f"flat-{variant}", replace(run_of(spoken), samples=samples_of(1.0, variant))
        for level in range(LEVELS):
            yield f"{level}-{variant}", replace(run_of(spoken), samples=samples_of(1.8 + 0.25 * level, variant))
    yield "crash", replace(run_of(spoken), outcome=_CRASH.outcome, reason=_CRASH.reason, failure=_CRASH)


def _shape(run: RunResult) -> Row:
    """The columns of `runs` and of `squares` that a shape alone decides."""
    row = run_to_row(run)
    rows = [SimpleNamespace(**sample_to_row(0, i, sample)) for i, sample in enumerate(run.samples)]
    drawn = square(SimpleNamespace(**row), rows)
    figures = ("accept_length", "low", "high", "tok_s", "tok_s_low", "tok_s_high")
    return {name: value for name, value in _plain(row).items() if name in _OF_SHAPE} | {n: drawn[n] for n in figures}


_OF_SHAPE = frozenset(
    [
        "outcome",
        "reason",
        "next_step",
        "signature",
        "excerpt",
        "samples",
        "steps",
        "proposed",
        "accepted",
        "decode_steps",
        "completion_tokens",
        "per_position",
        "requests",
        "single_tokens",
        "single_seconds",
        "flags",
    ]
)


def _plain(row: Row, *left_out: str) -> Row:
    """The row as the database's driver takes it."""
    return {
        name: dumps(value) if isinstance(value, dict | list) else value
        for name, value in row.items()
        if name not in left_out
    }


def fresh_run(lines: list[Line], number: int, revision: int, boot: int, at: float) -> RunResult:
    """One run more of the series `number` at a revision that it was run at, for `Runs.save`."""
    line = lines[number]
    cell = replace(
        line.cell, revision=Revision(line.cell.revision.engine, version(line.cell.revision.engine, revision))
    )
    made = run_of(replace(cell, boot=boot))
    samples = samples_of(None if line.plain else 2.0, boot % VARIANTS)
    return replace(
        made, run_id=f"fresh{at:.6f}", content_key=f"{at}", samples=samples, started_at=at - 60, finished_at=at
    )
