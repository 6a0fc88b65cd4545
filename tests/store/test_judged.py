"""What is kept of a series for its judge."""

import pytest

from matrix.core.outcome import Outcome
from matrix.core.state import Metric, State, Verdict
from matrix.store import Fall, Store
from tests.store.build import NGRAM, cell, run, sample

EAGLE, LOOKUP = cell().series_key, cell(spec=NGRAM).series_key
PLACE = ("vllm", "cpu Xeon x2")
NOISE = {"accept-length": {"variance": 1.25e-4, "within": 1e-5, "df": 2.0}}


def test_thresholds_are_replaced_for_the_series_named_alone(store: Store) -> None:
    store.judged.keep_thresholds({EAGLE: (PLACE, {"relevant": 0.05}), LOOKUP: (PLACE, {"max_boots": 4})})
    store.judged.keep_thresholds({EAGLE: (PLACE, {"relevant": 0.1})})
    assert store.judged.thresholds() == {EAGLE: {"relevant": 0.1}, LOOKUP: {"max_boots": 4}}
    assert store.judged.thresholds([LOOKUP]) == {LOOKUP: {"max_boots": 4}}
    store.judged.keep_thresholds({EAGLE: (PLACE, {})})
    assert store.judged.thresholds() == {LOOKUP: {"max_boots": 4}}


def test_noise_is_found_by_its_place_and_leaves_thresholds_alone(store: Store) -> None:
    store.judged.keep_thresholds({EAGLE: (PLACE, {"relevant": 0.05})})
    store.judged.keep_noise({EAGLE: (PLACE, NOISE), LOOKUP: (("vllm", "another machine"), NOISE)})
    assert store.judged.noises(PLACE) == {EAGLE: NOISE}
    assert store.judged.thresholds() == {EAGLE: {"relevant": 0.05}}
    store.judged.keep_noise({EAGLE: (PLACE, {})})
    assert store.judged.noises(PLACE) == {EAGLE: {}}


def test_only_later_boots_that_served_are_repeats(store: Store) -> None:
    for boot, outcome in enumerate([Outcome.OK, Outcome.OK, Outcome.INFRA, Outcome.LOAD_CRASH]):
        store.runs.save(run(f"r{boot}", cell("1.0", boot=boot), sample(), outcome=outcome))
    store.runs.save(run("other", cell("1.1", boot=1), sample()))
    store.runs.save(run("again", cell("1.1", boot=1), sample()))
    assert store.judged.repeats([EAGLE, LOOKUP]) == {EAGLE: 2}


def test_comparisons_are_found_by_series_and_by_release(store: Store) -> None:
    for spec, key in ((cell().spec, EAGLE), (NGRAM, LOOKUP)):
        store.runs.save(run(f"old-{key}", cell("1.0", spec), sample()))
        store.runs.save(run(f"new-{key}", cell("1.1", spec), sample()))
        first = Verdict(Metric.ACCEPT_LENGTH, State.HEALTHY, "first", (("p_fall", None),))
        fell = Verdict(Metric.ACCEPT_LENGTH, State.DEGRADED, "fell", (("p_fall", 0.001), ("q", 0.002)))
        store.series.save_verdicts(key, {f"old-{key}": [first], f"new-{key}": [fell]})
    falls = {key: Fall(key, Metric.ACCEPT_LENGTH, 0.001, 0.002) for key in (EAGLE, LOOKUP)}
    assert sorted(store.judged.falls_in("vllm", "1.1"), key=lambda f: f.series_key) == [falls[k] for k in sorted(falls)]
    assert store.judged.falls_in("vllm", "1.0") == store.judged.falls_in("sglang", "1.1") == []


@pytest.mark.parametrize("run_id", ["new", "none"])
def test_the_revision_of_a_run(store: Store, run_id: str) -> None:
    store.runs.save(run("new", cell("1.1"), sample()))
    found = store.runs.revision(run_id)
    assert found == (cell("1.1").revision if run_id == "new" else None)
