"""The probe against scripted SGLang releases whose acceptance is known."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.core.cell import Cell
from matrix.core.counters import accept_length, combine, position_rates
from matrix.core.model import Model
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Workload
from matrix.engines.sglang import SglangAdapter
from matrix.plan.expand import expand
from matrix.probes.accept import run_probe, warm_up
from matrix.probes.client import Client, Rendered
from matrix.probes.faults import EngineFaultError, Fault
from matrix.probes.output import with_alternatives
from matrix.probes.probe import Probe
from matrix.probes.readiness import wait_ready
from tests.fakes.engine import Script
from tests.fakes.replay import ReplayGenerate
from tests.fakes.sglang import RELEASES, FakeSglang
from tests.plan.build import config, inputs
from tests.probes.conftest import workload_of

ADAPTER = SglangAdapter()
HEAD = SpecConfig("head", Method.EAGLE3, Model("head", "/h"), 3)
LOOKUP = SpecConfig("lookup", Method.NGRAM, None, 3)
RATES = [0.7, 0.45, 0.25]


def server(release: str, spec: SpecConfig = HEAD, *, metrics: bool = True, **script: object) -> FakeSglang:
    algorithm = None if spec.is_baseline else spec.method.upper()
    fields = {"acceptance": list(RATES)} | script
    return FakeSglang(release, Script(**fields), speculative_algorithm=algorithm, enable_metrics=metrics)  # type: ignore[arg-type]


def cell_of(release: str, spec: SpecConfig) -> Cell:
    return replace(expand(config(), inputs(["1.0.0"])).cells[0], revision=Revision("sglang", release), spec=spec)


def probe_of(engine: FakeSglang, spec: SpecConfig = HEAD, workload: Workload | None = None) -> Probe:
    names = ADAPTER.counters(cell_of(engine.release, spec))
    client = Client(engine.url, engine.name, timeout_s=5, quick_s=2, dialect=names.dialect)
    return Probe(client, workload or workload_of(12, 96), lambda p: Rendered(p.text), names, spec, settle_s=0.5)


@pytest.mark.parametrize("release", RELEASES)
def test_the_same_acceptance_is_the_same_length_in_every_release(release: str) -> None:
    with server(release) as engine, server("0.5.15.post1") as newest:
        samples, reference = (run_probe(probe_of(e, workload=workload_of(6, 256))) for e in (engine, newest))
    length, wanted = (accept_length(combine(s.counters for s in group)) for group in (samples, reference))
    # Releases that count no accepted drafts miss what the last step accepted beyond the last token.
    assert length == pytest.approx(wanted, rel=0.01)
    assert not {flag for s in samples for flag in s.flags}


def test_positions_follow_the_scripted_rates() -> None:
    with server("0.5.23") as engine:
        total = combine(s.counters for s in run_probe(probe_of(engine, workload=workload_of(12, 200))))
    assert position_rates(total) == pytest.approx(RATES, abs=0.08)


@pytest.mark.parametrize("release", RELEASES)
def test_a_random_head_is_exactly_one_in_every_release(release: str) -> None:
    with server(release, acceptance=[0.0, 0.0, 0.0]) as engine:
        samples = run_probe(probe_of(engine))
    assert {accept_length(s.counters) for s in samples} == {1.0}
    assert {s.flags for s in samples} == {("exactly-one",)}


@pytest.mark.parametrize("release", ["0.4.6.post5", "0.5.9", "0.5.23"])
def test_a_baseline_has_no_length(release: str) -> None:
    with server(release, BASELINE) as engine:
        samples = run_probe(probe_of(engine, BASELINE))
    assert {accept_length(s.counters) for s in samples} == {None}
    assert {s.counters.steps for s in samples} == {None} and {s.flags for s in samples} == {()}


def test_speculation_that_is_off_has_no_counters() -> None:
    with server("0.5.15.post1", mode="no-counters") as engine:
        samples = run_probe(probe_of(engine))
    assert {accept_length(s.counters) for s in samples} == {None}
    assert all("no-counters" in s.flags for s in samples)


def test_lookup_counts_every_verify_step() -> None:
    with server("0.5.9", LOOKUP, draftless=0.0) as engine:
        samples = run_probe(probe_of(engine, LOOKUP))
    for sample in samples:
        steps = sample.counters.decode_steps or 0
        assert accept_length(sample.counters, draftless=True) == pytest.approx(95 / steps)


def test_no_metrics_page_is_no_obstacle() -> None:
    with server("0.5.15.post1", metrics=False) as engine:
        samples = run_probe(probe_of(engine))
    assert all((accept_length(s.counters) or 0) > 1 for s in samples)


def test_several_in_flight_keep_their_own_counters() -> None:
    with server("0.5.15.post1") as engine:
        alone = run_probe(probe_of(engine))
        together = run_probe(probe_of(engine, workload=workload_of(12, 96, concurrency=4)))
    assert [s.counters for s in together[:-1]] == [s.counters for s in alone]
    assert combine(s.counters for s in together) == combine(s.counters for s in alone)


def test_the_request_is_greedy_of_fixed_length_and_names_no_model() -> None:
    with server("0.5.15.post1") as engine:
        warm_up(probe_of(engine, workload=workload_of(1, 16)))
        (sent,) = engine.requests
    assert sent["sampling_params"] == {
        "temperature": 0,
        "max_new_tokens": 16,
        "ignore_eos": True,
        "skip_special_tokens": False,
        "spaces_between_special_tokens": False,
    }
    assert set(sent) == {"text", "sampling_params"}


def test_a_begin_mark_is_not_written_twice() -> None:
    with server("0.5.15.post1") as engine:
        client = Client(engine.url, "tiny", dialect="sglang")
        client.complete(Rendered("<s>hi", special_tokens=False, begin="<s>"), 4)
        client.complete(Rendered("<s>hi", special_tokens=False), 4)
        client.complete(Rendered("<s>hi", begin="<s>"), 4)
        assert [r["text"] for r in engine.requests] == ["hi", "<s>hi", "<s>hi"]


def test_ready_is_one_finished_generation_of_our_model() -> None:
    with server("0.5.15.post1") as engine:
        assert wait_ready(Client(engine.url, "tiny", dialect="sglang"), None, deadline_s=5) < 5
        assert engine.requests[0]["sampling_params"]["max_new_tokens"] == 4


def test_alternatives_join_to_the_text() -> None:
    with server("0.5.15.post1", BASELINE, gap=2.0) as engine:
        probe = probe_of(engine, BASELINE, workload_of(3, 16))
        samples = with_alternatives(probe, run_probe(probe))
    for sample in samples:
        assert "".join(token.token for token in sample.alternatives) == sample.text
        first, second = sample.alternatives[0].top
        assert first[1] - second[1] == pytest.approx(2.0)


def test_an_answer_of_another_shape_is_a_fault() -> None:
    with server("0.5.15.post1", mode="wrong-shape") as engine:
        with pytest.raises(EngineFaultError, match="no text") as caught:
            Client(engine.url, "tiny", dialect="sglang").complete(Rendered("x"), 4)
        assert caught.value.fault is Fault.BAD_SHAPE


def test_the_settings_page_is_where_the_release_has_it() -> None:
    for release in ("0.5.5", "0.5.15.post1"):
        with server(release) as engine:
            names = ADAPTER.counters(cell_of(release, HEAD))
            page = Client(engine.url, "tiny", dialect="sglang").page(names.info)
        assert ADAPTER.resolved("", page) == {"method": "eagle3", "version": release}


def test_a_recorded_conversation_gives_the_lengths_worked_out_by_hand() -> None:
    conversation = json.loads((Path(__file__).parent / "conversation_sglang.json").read_text())
    with ReplayGenerate(conversation) as replay:
        names = ADAPTER.counters(cell_of("0.5.15.post1", HEAD))
        client = Client(replay.url, "small", dialect=names.dialect)
        assert client.models() == ["small"]
        samples = run_probe(Probe(client, workload_of(3, 32), lambda p: Rendered(p.text), names, HEAD))
    assert [accept_length(s.counters) for s in samples] == pytest.approx([2.4, 1.0, 4.0])
    assert [s.flags for s in samples] == [(), ("exactly-one",), ("short", "exactly-max")]
    total = combine(s.counters for s in samples)
    assert accept_length(total) == pytest.approx(1 + 42 / 53)
    assert position_rates(total) == pytest.approx((17 / 53, 14 / 53, 11 / 53))
