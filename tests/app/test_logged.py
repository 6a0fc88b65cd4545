"""vLLM's V0 engine: the accept length comes from the running totals of its log."""

from pathlib import Path

import pytest

from matrix.app import logged
from matrix.app.bench import Quiet
from matrix.app.logged import add_logged, mark
from matrix.app.record import Record
from matrix.core.counters import Counters, accept_length
from matrix.core.recipe import CounterMap, Recipe
from matrix.core.result import POOLED
from matrix.core.spec import Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.engines.vllm_v0 import totals
from matrix.probes.accept import run_probe
from matrix.probes.answer import Completion, Rendered
from matrix.probes.client import Client
from matrix.probes.probe import Probe
from tests.app.build import cell

K = 3
WORKLOAD = Workload("w", (Prompt("a", "code", "x"), Prompt("b", "code", "y")), 32)


def line(steps: int, accepted: int, k: int = K) -> str:
    return (
        "INFO 07-01 00:00:00 [metrics.py:489] Speculative metrics: Draft acceptance rate: 0.700, System efficiency: "
        f"0.500, Number of speculative tokens: {k}, Number of accepted tokens: {accepted + 3 * steps}, Number of draft "
        f"tokens: {k * steps}, Number of emitted tokens: {accepted + steps}.\n"
    )


class Logging(Client):
    """Answers at once. Every `every`-th request the engine logs the totals it collected `stale` requests earlier.

    A prompt takes 8 steps that accept 12 drafts, anything shorter one step that accepts none.
    """

    def __init__(self, log: Path, every: int, stale: int) -> None:
        super().__init__("http://127.0.0.1:9", "m")
        self.log, self.every, self.stale = log, every, stale
        self.asked: list[tuple[int, int]] = []

    def scrape(self) -> str | None:
        return None

    def complete(self, prompt: Rendered, max_tokens: int, **_: object) -> Completion:  # type: ignore[override]
        self.asked.append((8, 12) if max_tokens == 32 else (1, 0))
        if self.every and len(self.asked) % self.every == 0:
            collected = self.asked[: len(self.asked) - self.stale]
            with self.log.open("a") as file:
                file.write(line(sum(s for s, _ in collected), sum(n for _, n in collected)))
        return Completion("text", max_tokens, 0.5)


def setup(tmp_path: Path, every: int, stale: int = 0) -> tuple[Record, Probe, Logging]:
    log = tmp_path / "server.log"
    log.write_text("INFO starting\n")
    client = Logging(log, every, stale)
    record = Record("r", cell(), Recipe("x", ()), Quiet(), log)
    spec = SpecConfig("d", Method.DRAFT_MODEL, None, K)
    names = CounterMap("", "", "", "", "", "", log="Speculative metrics")
    return record, Probe(client, WORKLOAD, lambda p: Rendered(p.text), names, spec), client


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logged, "_FIRST_PAUSE_S", 0.0)


@pytest.mark.parametrize(("every", "stale"), [(1, 0), (3, 0), (3, 2), (5, 4)])
def test_the_probes_own_steps_are_all_counted_however_stale_a_record_is(tmp_path: Path, every: int, stale: int) -> None:
    record, probe, client = setup(tmp_path, every, stale)
    for _ in range(4):
        probe.ask(WORKLOAD.prompts[0])  # warm-up, which is not to be counted
    before = mark(record, probe)
    run_probe(probe, record.samples.append)
    add_logged(record, probe, before)
    pooled = record.samples[-1]
    assert pooled.prompt_id == POOLED and pooled.counters.accepted == 2 * 12
    nudges = (pooled.counters.steps or 0) - 2 * 8
    assert 0 <= nudges <= len(client.asked) - 4 - 2
    assert (pooled.counters.completion_tokens, pooled.counters.requests) == (64, 2)
    assert [(s.prompt_id, s.counters.requests, s.flags) for s in record.samples[:-1]] == [("a", 0, ()), ("b", 0, ())]


def test_nudges_are_next_to_nothing(tmp_path: Path) -> None:
    record, probe, client = setup(tmp_path, every=2)
    mark(record, probe)
    assert client.asked == [(1, 0)] * 4


def test_no_record_at_all_is_unknown_and_not_one(tmp_path: Path) -> None:
    record, probe, _ = setup(tmp_path, every=0)
    before = mark(record, probe, patience_s=0.0)
    assert before is None
    run_probe(probe, record.samples.append)
    add_logged(record, probe, before)
    assert record.samples[-1].counters.steps is None
    assert record.samples[-1].flags == ("no-counters",)
    assert accept_length(record.samples[-1].counters) is None


def test_no_record_after_the_probe_is_unknown_too(tmp_path: Path) -> None:
    record, probe, client = setup(tmp_path, every=1)
    before = mark(record, probe)
    client.every = 0
    run_probe(probe, record.samples.append)
    add_logged(record, probe, before, patience_s=0.0)
    assert record.samples[-1].counters.steps is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (line(10, 0), [Counters(10, 30, 0, requests=0)]),
        (line(10, 4) + line(20, 9), [Counters(10, 30, 4, requests=0), Counters(20, 60, 9, requests=0)]),
        (line(10, 4)[:-3], []),
        (line(10, 4).replace("draft tokens: 30", "draft tokens: 31"), []),
        (line(10, 4).replace("emitted tokens: 14", "emitted tokens: 4"), []),
        ("Speculative metrics: Draft acceptance rate: nan", []),
        (line(0, 0), [Counters(0, 0, 0, requests=0)]),
    ],
)
def test_totals_are_read_whole_or_not_at_all(text: str, expected: list[Counters]) -> None:
    assert totals(text) == expected
