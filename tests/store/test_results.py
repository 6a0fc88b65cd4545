"""`matrix results`: figures of hand-made runs, worked out on paper."""

from dataclasses import replace

import pytest

from matrix.core.counters import Counters
from matrix.core.hardware import Hardware
from matrix.core.outcome import Outcome
from matrix.core.spec import BASELINE
from matrix.store import Filters, Store, results
from tests.store.build import NGRAM, baseline_run, cell, run, sample


def test_a_run_beside_its_baseline(store: Store) -> None:
    store.runs.save(baseline_run("b"))
    store.runs.save(run("r", cell(), sample(), sample("chat-1", accepted=10), at=2000.0))
    row = list(store.read.results())[1]
    assert row.accept_length == 1 + 30 / 20
    assert row.per_position == [20 / 20, 10 / 20, 0.0]
    assert row.acceptance_rate == 30 / 60
    assert (row.verify_steps, row.proposed, row.accepted) == (20, 60, 30)
    assert (row.output_tok_s, row.baseline_tok_s, row.speedup) == (62 / 2, 64 / 4, 31 / 16)
    assert (row.k, row.steps, row.topk, row.draft_tokens) == (3, 3, None, None)
    assert (row.build_s, row.start_s, row.probe_s) == (12.5, 20.0 + 4.0, 7.5)
    assert (row.samples, row.outcome, row.tier, row.evidence, row.reason) == (2, "ok", "ok", "measured", "")
    assert (row.engine, row.revision, row.target, row.draft) == ("vllm", "0.27.1", "tiny", "head")
    assert (row.method, row.spec, row.launch, row.workload) == ("eagle3", "eagle3", "--x 1 A=b", "demo")
    assert (row.kind, row.concurrency, row.executor, row.hardware) == ("text", 1, "venv", "cpu Xeon x2")
    assert (row.artifact, row.finished_at, row.boot, row.series_key) == ("c" * 64, 2000.0, 0, cell().series_key)


def test_a_baseline_has_speed_and_nothing_to_compare_with(store: Store) -> None:
    store.runs.save(baseline_run("b"))
    row = next(store.read.results())
    assert (row.output_tok_s, row.baseline_tok_s, row.speedup) == (16.0, None, None)
    assert (row.accept_length, row.acceptance_rate, row.per_position, row.draft, row.k) == (
        None,
        None,
        None,
        None,
        None,
    )


def test_what_was_not_measured_is_none(store: Store) -> None:
    store.runs.save(run("crash", cell(), outcome=Outcome.LOAD_CRASH, artifact=None, phases=(("build", 2.0),)))
    store.runs.save(run("silent", cell("1.0"), sample(steps=None, accepted=None, tokens=None)))
    crash, silent = store.read.results()
    names = (
        "accept_length per_position acceptance_rate verify_steps proposed accepted output_tok_s baseline_tok_s speedup"
    )
    for name in names.split():
        assert getattr(crash, name) is None, name
        assert getattr(silent, name) is None, name
    assert (crash.build_s, crash.start_s, crash.probe_s, crash.artifact) == (2.0, None, None, None)
    assert (crash.tier, crash.reason, crash.samples) == ("engine", "ended as load-crash", 0)


def test_one_prompt_without_a_counter_makes_the_sum_unknown(store: Store) -> None:
    store.runs.save(run("r", cell(), sample(), sample("chat-1", accepted=None)))
    row = next(store.read.results())
    assert (row.accepted, row.accept_length, row.verify_steps) == (None, None, 20)


def test_ngram_counts_the_steps_without_a_draft(store: Store) -> None:
    counters = Counters(steps=4, proposed=16, accepted=8, decode_steps=20, completion_tokens=31)
    store.runs.save(run("r", cell(spec=NGRAM), sample(counters=counters)))
    row = next(store.read.results())
    assert row.accept_length == (31 - 1) / 20
    assert row.verify_steps == 4


def test_speed_is_of_single_requests_only(store: Store) -> None:
    store.runs.save(run("both", cell(), sample(seconds=2.0), sample("chat-1", seconds=9.0, concurrency=4)))
    store.runs.save(run("many", cell("1.0"), sample(concurrency=4)))
    assert [row.output_tok_s for row in store.read.results()] == [15.5, None]


@pytest.mark.parametrize(
    "other",
    [
        baseline_run("other", "9.9", at=9000.0),
        baseline_run("other", at=9000.0, outcome=Outcome.SERVE_CRASH),
        baseline_run("other", at=9000.0, cell=cell(spec=BASELINE, hardware=Hardware("Epyc", 2))),
        baseline_run("other", at=9000.0, cell=cell(spec=BASELINE, executor="docker")),
        baseline_run("other", at=500.0),
    ],
    ids=["another revision", "not ok", "another machine", "another executor", "an older one"],
)
def test_the_baseline_is_the_newest_ok_one_beside_the_run(store: Store, other: object) -> None:
    fast = [sample(steps=0, accepted=0, tokens=40, seconds=1.0)]
    store.runs.save(baseline_run("b", "0.27.1", *fast))
    store.runs.save(replace(other, samples=(sample(tokens=7),)))  # type: ignore[type-var]
    store.runs.save(run("r", cell(), sample(tokens=20)))
    row = next(store.read.results(Filters(run_id="r")))
    assert (row.baseline_tok_s, row.speedup) == (40.0, 0.5)
    assert store.read.run("r").baseline_run == "b"


def test_filters_and_order(store: Store) -> None:
    store.runs.save(run("late", cell("1.0"), sample(), at=300.0))
    store.runs.save(run("early", cell("2.0"), outcome=Outcome.HANG, at=100.0))
    store.runs.save(baseline_run("b", "2.0", at=200.0))

    def found(**filters: object) -> list[str]:
        return [row.run_id for row in store.read.results(Filters(**filters))]  # type: ignore[arg-type]

    assert found() == ["early", "b", "late"]
    assert found(newest=True) == ["late", "b", "early"]
    assert found(newest=True, limit=2) == ["late", "b"]
    assert found(limit=0) == []
    assert found(revision="2.0") == ["early", "b"]
    assert found(revision="2.0", method="none") == ["b"]
    assert found(outcome="hang") == ["early"]
    assert found(engine="sglang") == []
    assert found(draft="head", target="tiny", spec="eagle3") == ["early", "late"]


@pytest.mark.parametrize("newest", [False, True])
def test_pages_lose_and_double_nothing_when_times_are_equal(
    store: Store, monkeypatch: pytest.MonkeyPatch, newest: bool
) -> None:
    monkeypatch.setattr(results, "_PAGE", 3)
    names = [f"r{i}" for i in range(10)]
    for i, name in enumerate(names):
        store.runs.save(run(name, cell(f"1.{i}"), at=float(i // 4)))
    ordered = names[::-1] if newest else names
    assert [row.run_id for row in store.read.results(Filters(newest=newest))] == ordered
    assert [row.run_id for row in store.read.results(Filters(newest=newest, limit=7))] == ordered[:7]


def test_runs_saved_while_results_are_read_do_not_disturb(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "_PAGE", 1)
    store.runs.save(run("a", cell("1.0"), at=1.0))
    store.runs.save(run("b", cell("2.0"), at=2.0))
    reading = store.read.results()
    assert next(reading).run_id == "a"
    store.runs.save(run("c", cell("3.0"), at=3.0))
    assert [row.run_id for row in reading] == ["b", "c"]
