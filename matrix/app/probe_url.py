"""Probes a server that somebody else runs: detect, ask, conclude, and read the result back as every run is read."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from matrix.app.conclude import conclude
from matrix.app.judging import judge_one
from matrix.app.record import Record
from matrix.app.url_cell import SERVER_TEMPLATE, Asked, cell_of, checked_url, counters_of, resolved_of, workload_of
from matrix.app.url_nothing import explained, faulted, without_speculation
from matrix.core.cell import Cell
from matrix.core.errors import MatrixError
from matrix.core.ports import Progress
from matrix.core.recipe import CounterMap, Recipe
from matrix.core.result import POOLED, RunResult, Sample
from matrix.core.spec import Method
from matrix.core.workload import Prompt
from matrix.probes.accept import run_probe, warm_up
from matrix.probes.answer import Rendered
from matrix.probes.client import Client
from matrix.probes.detect import detect
from matrix.probes.faults import EngineFaultError
from matrix.probes.flags import MEANINGS, TAINTED
from matrix.probes.probe import Probe, Render
from matrix.probes.template import renderer
from matrix.store import Filters, Store, hide, open_store
from matrix.store.interval import accept_interval
from matrix.store.views import ResultRow

_FEW = 0.02
"""Share of steps without a draft that is no sign of n-gram lookup: the last steps of a long answer have none either."""


@dataclass(frozen=True, slots=True)
class Probed:
    """The row as it is stored, the 95 % interval of its accept length over prompts, the next step, and what is odd,
    a line each."""

    row: ResultRow
    low: float | None
    high: float | None
    next_step: str
    odd: tuple[str, ...]
    finished: bool
    """True when every prompt was answered."""


def probe_url(asked: Asked, progress: Progress, db: str | None = None) -> Probed:
    """Probe the server at `asked.url`; kept in the database `db`, or nowhere.

    Raises InfraError when nobody answers there, ConfigError when it is no engine that is known or a key is missing. A
    server that fails later gives a result that says so. The key is in no message and no result.
    """
    asked = replace(asked, url=checked_url(asked.url))
    with _secret(asked.key), ExitStack() as stack:
        workload_of(asked)  # what is wrong with the user's own files is told before the server is asked
        store = _store(stack, db)
        result, finished = _probe(asked, progress)
        result = _hidden(result, asked.key)
        store.runs.save(result)
        judge_one(store, result.cell.series_key)
        row = next(iter(store.read.results(Filters(run_id=result.run_id))))
    return _probed(result, row, finished)


def _probe(asked: Asked, progress: Progress) -> tuple[RunResult, bool]:
    """The result, and whether every prompt was answered."""
    detected = detect(Client(asked.url, "", key=asked.key), asked.engine)
    cell = cell_of(asked, detected)
    record = Record(uuid.uuid4().hex[:12], cell, Recipe("url", ()), progress, Path("no-log"))
    record.command, record.resolved = ("matrix", "probe", "--url", asked.url), resolved_of(detected)
    if cell.spec.is_baseline:
        return without_speculation(record), True
    try:
        _ask(record, asked)
    except EngineFaultError as error:
        return faulted(record, error), False
    return explained(record, conclude(record)), True


def _ask(record: Record, asked: Asked) -> None:
    cell, names = record.cell, counters_of(record.cell)
    client = Client(asked.url, cell.target.name, dialect=names.dialect, key=asked.key)
    probe = Probe(client, cell.workload, _render(cell, names), names, cell.spec)
    record.sure = probe.sure
    with record.phase("warmup"):
        warm_up(probe)
    with record.phase("probe"):
        run_probe(probe, lambda sample: _keep(record, sample))


def _keep(record: Record, sample: Sample) -> None:
    record.samples.append(sample)
    record.progress.phase(record.cell, "probe", f"{record.prompts}/{len(record.cell.workload.prompts)} prompts")


def _render(cell: Cell, names: CounterMap) -> Render:
    """With a tokenizer we render; without one chat prompts are left to the server, and others are text already."""
    if cell.workload.kind != SERVER_TEMPLATE and cell.target.path:
        return renderer(cell.target.path, chat_images=names.chat_images)

    def render(prompt: Prompt) -> Rendered:
        return Rendered(prompt.text, chat=prompt.chat, image=prompt.image)

    return render


def _store(stack: ExitStack, db: str | None) -> Store:
    """The user's database, else one that is gone when the result was read from it."""
    folder = stack.enter_context(TemporaryDirectory(prefix="specmatrix-")) if db is None else ""
    store = open_store(db if db is not None else f"sqlite:///{folder}/probe.db")
    stack.callback(store.close)
    return store


def _probed(result: RunResult, row: ResultRow, finished: bool) -> Probed:
    counted = [s for s in result.samples if s.prompt_id != POOLED and s.counters.requests]
    draftless = result.cell.spec.method.counts_draftless_steps
    low, high = accept_interval([s.counters for s in counted], draftless=draftless)
    known = row.accept_length is not None
    return Probed(
        row=row,
        low=low if known else None,
        high=high if known else None,
        next_step=result.failure.next_step if result.failure else "",
        odd=tuple(_odd(result)),
        finished=finished,
    )


def _odd(result: RunResult) -> Iterator[str]:
    """Flags, each with the number of samples that carry it; steps without a draft where the method is not told."""
    flags = Counter(flag for s in result.samples for flag in s.flags)
    for flag, count in flags.most_common():
        yield f"{flag}: {count} of {len(result.samples)} samples{_meaning(flag)}"
    pooled = result.counters
    draftless = (pooled.decode_steps or 0) - (pooled.steps or 0)
    hidden = result.cell.spec.method is Method.UNKNOWN and not TAINTED & flags.keys()
    if hidden and pooled.steps and draftless > _FEW * pooled.steps:
        yield (
            f"{draftless} of {pooled.decode_steps} decode steps carried no draft, as with n-gram lookup; "
            "the value leaves them out, --method ngram counts them"
        )


def _meaning(flag: str) -> str:
    return f" ({MEANINGS[flag]})" if flag in MEANINGS else ""


def _hidden(result: RunResult, key: str | None) -> RunResult:
    """An answer may quote the key that it was sent."""
    if not key:
        return result
    clean: Callable[[str], str] = lambda text: hide(text, [key])  # noqa: E731
    samples = tuple(replace(s, text=clean(s.text)) for s in result.samples)
    failure = result.failure
    if failure is not None:
        failure = replace(failure, reason=clean(failure.reason), next_step=clean(failure.next_step))
    return replace(result, reason=clean(result.reason), samples=samples, failure=failure)


@contextmanager
def _secret(key: str | None) -> Iterator[None]:
    try:
        yield
    except MatrixError as error:
        if key:
            error.cause, error.hint = hide(error.cause, [key]), hide(error.hint, [key])
        raise
