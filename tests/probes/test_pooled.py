"""Several requests in flight: each is counted once, wherever its counters come from."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters, accept_length, combine
from matrix.core.result import Sample
from matrix.probes.accept import run_probe
from matrix.probes.faults import EngineFaultError
from tests.fakes.engine import simulate
from tests.probes.conftest import NAMES, NGRAM, Start, probe_of, workload_of

WORKLOAD = workload_of(6, 30, concurrency=3)


def truth(engine: object) -> Counters:
    counts = [simulate(engine.script, p.text, 30)[0] for p in WORKLOAD.prompts]  # type: ignore[attr-defined]
    return Counters(
        sum(c["steps"] for c in counts),
        sum(c["proposed"] for c in counts),
        sum(c["accepted"] for c in counts),
        tuple(sum(c[f"at{i}"] for c in counts) for i in range(3)),
        sum(c["decode"] for c in counts),
        180,
        requests=6,
    )


def test_scraped_counters_are_on_the_pooled_sample_alone(start: Start) -> None:
    engine = start(token_s=0.001)
    samples = run_probe(probe_of(engine, WORKLOAD, names=replace(NAMES, per_request=False)))
    assert [s.prompt_id for s in samples] == ["p0", "p1", "p2", "p3", "p4", "p5", "pooled"]
    assert all(s.counters.requests == 0 and s.text for s in samples[:-1])
    assert samples[-1].counters == combine(s.counters for s in samples) == truth(engine)
    assert samples[-1].seconds < sum(s.seconds for s in samples[:-1])


def test_own_counters_are_on_the_prompts_samples_and_the_window_checks_them(start: Start) -> None:
    engine = start()
    samples = run_probe(probe_of(engine, WORKLOAD))
    expected = truth(engine)
    assert combine(s.counters for s in samples) == replace(expected, decode_steps=None)
    assert samples[-1].counters.requests == 0 and samples[-1].cross_check == expected
    assert all(accept_length(s.counters) is not None for s in samples[:-1])
    assert samples[-1].flags == ()


def test_ngram_takes_the_window_since_only_it_has_decode_steps(start: Start) -> None:
    engine = start(draftless=0.5)
    samples = run_probe(probe_of(engine, WORKLOAD, spec=NGRAM))
    assert samples[-1].counters == combine(s.counters for s in samples) == truth(engine)


def test_repetitions_have_a_pooled_sample_each(start: Start) -> None:
    samples = run_probe(probe_of(start(), replace(WORKLOAD, repetitions=2)))
    assert [(s.prompt_id, s.repetition) for s in samples if s.kind == "pooled"] == [("pooled", 0), ("pooled", 1)]


def test_foreign_traffic_in_the_window_is_flagged(start: Start) -> None:
    samples = run_probe(probe_of(start(mode="foreign"), WORKLOAD, names=replace(NAMES, per_request=False)))
    assert samples[-1].flags == ("foreign-traffic",)


def test_death_in_flight_keeps_what_was_done(start: Start) -> None:
    kept: list[Sample] = []
    with pytest.raises(EngineFaultError):
        run_probe(probe_of(start(mode="status", after=4), WORKLOAD), kept.append)
    assert 1 <= len(kept) <= 4 and all(s.prompt_id != "pooled" and s.text for s in kept)
