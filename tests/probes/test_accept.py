"""The accept-length probe against scripted engines whose counters are known."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters, accept_length, combine, position_rates, tokens_per_step
from matrix.core.result import Sample
from matrix.probes.accept import run_probe, warm_up
from matrix.probes.faults import EngineFaultError, Fault
from tests.fakes.engine import simulate
from tests.probes.conftest import EAGLE3, NAMES, NGRAM, Start, probe_of, workload_of

SCRAPED = replace(NAMES, per_request=False)


@pytest.mark.parametrize("names", [NAMES, SCRAPED], ids=["per-request", "scraped"])
def test_each_sample_holds_its_own_prompts_counters(start: Start, names: object) -> None:
    engine = start()
    workload = workload_of(5, 30, repetitions=2)
    samples = run_probe(probe_of(engine, workload, names=names))  # type: ignore[arg-type]
    assert [(s.prompt_id, s.repetition) for s in samples] == [(f"p{i}", r) for r in (0, 1) for i in range(5)]
    for sample, prompt in zip(samples, workload.prompts * 2, strict=True):
        sums, histogram = simulate(engine.script, prompt.text, 30)
        positions = tuple(sum(histogram[i + 1 :]) for i in range(3))
        expected = Counters(sums["steps"], sums["proposed"], sums["accepted"], positions, sums["decode"], 30)
        assert sample.counters == sample.cross_check == expected
        assert not set(sample.flags) - {"exactly-one", "exactly-max"}
        assert len(sample.text.split()) == 30 and sample.seconds > 0


def test_pooled_lengths_come_near_the_scripted_rates(start: Start) -> None:
    rates = [0.8, 0.5, 0.2]
    samples = run_probe(probe_of(start(acceptance=rates), workload_of(12, 200)))
    total = combine(s.counters for s in samples)
    assert accept_length(total) == pytest.approx(1 + sum(rates), abs=0.12)
    assert position_rates(total) == pytest.approx(rates, abs=0.06)


def test_warm_up_is_asked_but_not_sampled(start: Start) -> None:
    engine = start()
    probe = probe_of(engine, workload_of(3, 10, warmup=5))
    warm_up(probe)
    assert engine.served == 5
    samples = run_probe(probe)
    assert engine.served == 8 and sum(s.counters.completion_tokens or 0 for s in samples) == 30


def test_baseline_has_no_accept_length_and_one_token_a_step(start: Start) -> None:
    samples = run_probe(probe_of(start(spec=False)))
    for sample in samples:
        assert accept_length(sample.counters) is None and sample.counters.steps is None
        assert tokens_per_step(sample.counters) == 1
        assert sample.flags == ()


@pytest.mark.parametrize("mode", ["no-counters", "no-metrics", "bad-metrics"])
def test_without_counters_the_length_is_unknown_and_never_one(start: Start, mode: str) -> None:
    samples = run_probe(probe_of(start(mode=mode, per_request=False)))
    for sample in samples:
        assert accept_length(sample.counters) is None
        assert sample.counters == Counters(completion_tokens=40)
        assert sample.flags == ("no-counters",)


def test_per_request_counters_stand_in_for_a_missing_metrics_page(start: Start) -> None:
    samples = run_probe(probe_of(start(mode="no-metrics")))
    assert all((accept_length(s.counters) or 0) >= 1 and "no-counters" not in s.flags for s in samples)


def test_random_head_is_exactly_one(start: Start) -> None:
    samples = run_probe(probe_of(start(acceptance=[0.0, 0.0, 0.0])))
    assert {accept_length(s.counters) for s in samples} == {1.0}
    assert {s.flags for s in samples} == {("exactly-one",)}


def test_full_acceptance_is_exactly_max(start: Start) -> None:
    samples = run_probe(probe_of(start(acceptance=[1.0, 1.0, 1.0])))
    assert {accept_length(s.counters) for s in samples} == {4.0}
    assert {s.flags for s in samples} == {("exactly-max",)}


def test_more_than_k_allows_is_flagged(start: Start) -> None:
    probe = probe_of(start(acceptance=[1.0, 1.0, 1.0]), spec=replace(EAGLE3, k=2))
    assert {s.flags for s in run_probe(probe)} == {("above-k",)}


def test_ngram_is_measured_by_decode_steps(start: Start) -> None:
    engine = start(draftless=0.6, acceptance=[0.9, 0.8, 0.7])
    total = combine(s.counters for s in run_probe(probe_of(engine, spec=NGRAM)))
    by_counters, true = accept_length(total), accept_length(total, draftless=True)
    assert by_counters is not None and true is not None and true < by_counters - 0.5
    assert true == (4 * 40 - 4) / (total.decode_steps or 0)


def test_ngram_that_found_nothing_to_copy_is_one_and_not_suspicious(start: Start) -> None:
    samples = run_probe(probe_of(start(draftless=1.0), spec=NGRAM))
    assert {accept_length(s.counters, draftless=True) for s in samples} == {1.0}
    assert {s.flags for s in samples} == {()}


def test_late_counters_are_waited_for(start: Start) -> None:
    samples = run_probe(probe_of(start(mode="late", late_s=0.25), workload_of(2), names=SCRAPED, settle_s=2))
    assert all("counters-late" not in s.flags and (accept_length(s.counters) or 0) >= 1 for s in samples)


def test_counters_that_never_come_are_flagged(start: Start) -> None:
    samples = run_probe(probe_of(start(mode="late", late_s=30), workload_of(2), names=SCRAPED, settle_s=0.2))
    assert all(s.flags == ("counters-late",) and accept_length(s.counters) is None for s in samples)


def test_foreign_traffic_is_flagged_and_leaves_the_requests_own_counters(start: Start) -> None:
    engine = start(mode="foreign")
    for sample in run_probe(probe_of(engine, workload_of(3))):
        assert "foreign-traffic" in sample.flags and "counters-disagree" not in sample.flags
        assert sample.cross_check is not None and sample.cross_check.completion_tokens == 47
        assert sample.counters.completion_tokens == 40
        assert (sample.cross_check.steps or 0) - (sample.counters.steps or 0) == 5


def test_two_sources_that_disagree_are_flagged(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fakes import vllm_speech as fake

    block = fake.own_block

    def doubled(release: str, histogram: list[int]) -> object:
        return block(release, [histogram[0] * 3 + 5, *histogram[1:]])

    monkeypatch.setattr(fake, "own_block", doubled)
    samples = run_probe(probe_of(start(acceptance=[0.7, 0.4, 0.2])))
    assert all("counters-disagree" in s.flags for s in samples)


def test_fewer_tokens_than_asked_are_flagged(start: Start) -> None:
    samples = run_probe(probe_of(start(mode="short")))
    assert all("short" in s.flags and s.counters.completion_tokens == 20 for s in samples)


def test_what_was_sampled_before_a_death_is_not_lost(start: Start) -> None:
    kept: list[Sample] = []
    with pytest.raises(EngineFaultError) as caught:
        run_probe(probe_of(start(mode="dies", after=2)), kept.append)
    assert caught.value.fault in (Fault.BROKEN, Fault.REFUSED)
    assert [s.prompt_id for s in kept] == ["p0", "p1"]
