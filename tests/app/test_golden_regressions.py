"""Twelve regressions that engines and test systems really had: each, stored as runs, gets the verdict that it calls for.

The accept lengths quoted in the reports are used; runs around them, and all other numbers, are synthetic.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest

from matrix.app.attribute import regressions
from matrix.app.regression import Regression
from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, linear
from matrix.bisect.search import begin, culprit, decide
from matrix.core.cell import LaunchOptions
from matrix.core.counters import Counters
from matrix.core.expectation import Expectation
from matrix.core.outcome import Outcome
from matrix.core.result import Uptime
from matrix.core.revision import Revision, RevisionKind
from matrix.core.state import Metric, State
from matrix.store import Store
from tests.app.stored import around, cell, ended, judged, samples, served

LLAMA = {"target": "Llama-3.1-8B-Instruct", "draft": "llama-eagle3", "k": 7}
V2 = LaunchOptions(env=(("SGLANG_ENABLE_SPEC_V2", "1"),))


def states(store: Store, of: Any, metric: Metric = Metric.ACCEPT_LENGTH) -> dict[str, State]:
    return dict(store.compare.history(of.series_key, metric))


def all_of(store: Store) -> list[Regression]:
    return regressions(judged(store), None)


def only(store: Store) -> Regression:
    (found,) = all_of(store)
    return found


def many(length: float, prompts: int = 64, k: int = 7) -> list[float]:
    """Prompts as unlike each other as real ones: from 0.6 to 1.4 times the mean number of accepted tokens."""
    return [1 + min((length - 1) * (0.6 + 0.8 * i / (prompts - 1)), k) for i in range(prompts)]


def nightly(day: str) -> Revision:
    return Revision("vllm", f"0.19.0.dev{day}", RevisionKind.NIGHTLY)


def test_qwen_vl_eagle3_collapsed_in_one_post_release_only(stored: Store) -> None:
    """SpecForge#310: 2.195 in SGLang 0.5.4, about 1.0 in 0.5.5.post3; 0.5.5 to .post2 are intact in the source."""
    lengths = {
        "0.5.4": 2.195,
        "0.5.5": 2.19,
        "0.5.5.post1": 2.2,
        "0.5.5.post2": 2.195,
        "0.5.5.post3": 1.0,
        "0.5.6": 2.2,
    }
    for at, (version, length) in enumerate(lengths.items(), start=1000):
        served(stored, cell(version), length, at=at)
    found = only(stored)
    assert (found.from_revision, found.to_revision, found.after) == ("0.5.5.post2", "0.5.5.post3", "collapsed")
    assert (found.standing, found.status, found.fixed_in, found.use) == (
        False,
        "fixed",
        "0.5.6",
        "0.5.5.post2 or >= 0.5.6",
    )
    healthy = [version for version, state in states(stored, cell("0")).items() if state is State.HEALTHY]
    assert healthy == [version for version in lengths if version != "0.5.5.post3"]


def test_qwen_vl_eagle3_with_only_the_reported_releases(stored: Store) -> None:
    for at, (version, length) in enumerate({"0.5.4": 2.195, "0.5.5.post3": 1.0, "0.5.6": 2.2}.items(), start=1000):
        served(stored, cell(version), length, at=at)
    served(stored, cell("0.11.0", engine="vllm"), 2.3, at=1000)
    found = only(stored)
    assert (found.from_revision, found.to_revision, found.use) == ("0.5.4", "0.5.5.post3", "0.5.4 or >= 0.5.6")
    assert found.fault.text == "engine: vLLM runs the same file at 2.30 (0.11.0)"


def test_the_second_spec_runner_is_a_setting_not_a_version(stored: Store) -> None:
    """sglang#14063: 3.18 with spec v1, 2.14 with v2, on one model."""
    told = [{"k": 4, "disable_overlap_schedule": no_overlap} for no_overlap in (True, False)]
    served(stored, cell("0.5.5"), 3.18, at=1000, resolved=told[0])
    served(stored, replace(cell("0.5.5"), launch=V2), 2.14, at=1000, resolved=told[1])
    assert all_of(stored) == []
    served(stored, cell("0.5.6"), 2.14, at=2000, resolved=told[1])
    served(
        stored,
        replace(cell("0.5.6"), launch=LaunchOptions(env=(("SGLANG_ENABLE_SPEC_V2", "0"),))),
        3.18,
        at=2000,
        resolved=told[0],
    )
    found = only(stored)
    assert (found.fault.kind, found.to_revision) == ("settings", "0.5.6")
    assert found.fault.text.startswith("settings: disable_overlap_schedule changed from True to False")
    assert found.fault.evidence[0] == "SGLang 0.5.6 gives 3.18 with `SGLANG_ENABLE_SPEC_V2=0`"


def test_a_small_drop_is_seen_in_pairs(stored: Store) -> None:
    """vllm#26191: EAGLE-3 with seven tokens, 3.53 before and a little less since."""
    before, after = many(3.53), many(3.53 * 0.95)
    for version, values, at in (("0.10.2", before, 1000), ("0.11.0", after, 2000)):
        for boot, wobble in enumerate((1.0, 1.002, 0.998, 1.001)):
            moved = [1 + (value - 1) * wobble for value in values]
            served(stored, cell(version, engine="vllm", boot=boot, **LLAMA), 0, at=at + boot, values=moved)
    found = only(stored)
    assert (found.to_revision, found.after) == ("0.11.0", "degraded")
    assert found.numbers["change"] == pytest.approx(-0.05, abs=0.01) and found.numbers["pairs"] == 64
    # Without pairs the prompts' own spread hides it: the difference of the means is under two standard errors.
    error = ((stdev(before) ** 2 + stdev(after) ** 2) / 64) ** 0.5
    assert fmean(before) - fmean(after) < 2 * error


def test_the_new_model_runner_is_flagged_on_its_nightly_and_its_repair_named(stored: Store) -> None:
    """vllm#40551, repaired by #40656: EAGLE-3 on the new model runner."""
    runs = [
        ("20260418", 2.9, "V1"),
        ("20260419", 2.9, "V1"),
        ("20260420", 1.0, "V2"),
        ("20260421", 1.0, "V2"),
        ("20260425", 2.9, "V2"),
    ]
    for at, (day, length, runner) in enumerate(runs, start=1000):
        of = replace(cell("0", engine="vllm", **LLAMA), revision=nightly(day))
        served(stored, of, length, at=at, resolved={"k": 7, "model_runner": runner})
        if day == "20260421":
            assert only(stored).status == "still failing"
    found = only(stored)
    assert found.to_revision == "0.19.0.dev20260420" and found.fixed_in == "0.19.0.dev20260425"
    assert found.fault.text.startswith("settings: model_runner changed from V1 to V2")


def test_a_fall_with_uptime_is_drift_and_no_regression(stored: Store) -> None:
    """vllm#41838: 3.07 at first, 2.8 after hours in 0.17.1; a restart restores it."""
    counts = [Counters(1000, 7000, round((length - 1) * 1000)) for length in (3.07, 2.8)]
    aged = Uptime(10, 40, counts[0], counts[1], 2.8 / 3.07 - 1, -0.11, -0.07, True)
    of = {version: cell(version, engine="vllm", **LLAMA) for version in ("0.17.0", "0.17.1")}
    served(stored, of["0.17.0"], 3.07, at=1000)
    served(stored, of["0.17.1"], 3.07, at=2000, uptime=aged)
    assert all_of(stored) == []
    for boot in range(1, 4):
        served(stored, replace(of["0.17.1"], boot=boot), 3.07, at=2000 + boot, uptime=aged)
    assert all_of(stored) == []


def test_a_run_of_an_aged_server_is_not_blamed_on_the_release(stored: Store) -> None:
    counts = [Counters(1000, 7000, round((length - 1) * 1000)) for length in (3.07, 2.2)]
    aged = Uptime(10, 40, counts[0], counts[1], 2.2 / 3.07 - 1, -0.3, -0.26, True)
    served(stored, cell("0.17.0", engine="vllm", **LLAMA), 3.07, at=1000)
    served(stored, cell("0.17.1", engine="vllm", **LLAMA), 2.2, at=2000, uptime=aged)
    found = only(stored)
    assert found.fault.kind == "uptime" and "a restart restores it" in found.fault.text


def test_engines_that_define_it_otherwise_are_not_compared_blindly(stored: Store) -> None:
    """sglang#8228, EAGLE#132 and #146: a reference that is one token off is a definition, not a fall."""
    stored.published.replace({"llama-eagle3": [Expectation("llama-eagle3", 4.1, workload="mt-bench", k=7)]})
    served(stored, cell("0.5.4", **LLAMA), 5.08, at=1000)
    served(stored, cell("0.11.0", engine="vllm", **LLAMA), 5.1, at=1000)
    assert all_of(stored) == []
    served(stored, cell("0.5.5", **LLAMA), 3.0, at=2000)
    (expectation,) = only(stored).expectations
    assert "27 % if that counts the bonus token" in expectation.text and expectation.share is None
    healthy = stored.compare.sides([only(stored).from_run])[only(stored).from_run or ""]
    assert healthy.accept_length == pytest.approx(5.08, abs=0.01)


def test_a_backend_without_sink_attention_is_not_applicable(stored: Store) -> None:
    """vLLM leaves gpt-oss out on such backends."""
    reason = "FLASHINFER has no sink attention, which gpt-oss needs"
    of = {"engine": "vllm", "target": "gpt-oss-20b", "draft": "gpt-oss-eagle3"}
    served(stored, cell("0.10.2", **of), 2.5, at=1000)
    ended(stored, cell("0.11.0", **of), Outcome.UNSUPPORTED, at=2000, reason=reason)
    assert all_of(stored) == []
    assert states(stored, cell("0", **of))["0.11.0"] is State.NOT_APPLICABLE
    (said,) = [
        v for v in stored.read.series(cell("0", **of).series_key).points[-1].verdicts if v.metric == "accept-length"
    ]
    assert reason in said.reason


def test_baselines_are_kept_by_hardware(stored: Store) -> None:
    """vllm#41294: the shares by position differ on ROCm."""
    made = cell("0.11.0", engine="vllm", **LLAMA)
    rocm = replace(made, hardware=replace(made.hardware, gpu="MI300X", driver="6.4", cuda=None))
    for version, at in (("0.10.2", 1000), ("0.11.0", 2000)):
        served(stored, replace(made, revision=Revision("vllm", version)), 3.5, at=at)
        served(stored, replace(rocm, revision=Revision("vllm", version)), 2.9, at=at)
    assert all_of(stored) == [] and rocm.series_key != made.series_key
    assert set(states(stored, rocm).values()) == {State.HEALTHY}


def test_a_noisy_cell_is_not_flagged_and_asks_for_more(stored: Store) -> None:
    """speculators#793: the same locks gave acceptance rates from 0.073 to 0.118."""
    for boot, rate in enumerate((0.118, 0.084, 0.101)):
        served(stored, cell("1.0", boot=boot, k=3), 1 + 3 * rate, at=1000 + boot)
    served(stored, cell("1.1", k=3), 1 + 3 * 0.073, at=2000)
    assert all_of(stored) == []
    point = stored.read.series(cell("1.0", k=3).series_key).points[-1]
    (said,) = [v for v in point.verdicts if v.metric == "accept-length"]
    assert said.state in ("healthy", "unknown") and "another boot would tell" in said.reason
    assert (said.numbers["ask"], said.numbers["boots_before"]) == ("boot", 3)


def test_a_missing_interpreter_is_infra(stored: Store) -> None:
    """pybroker#287: no interpreter, nothing measured, exit 1."""
    served(stored, cell("1.0"), 2.5, at=1000)
    ended(stored, cell("1.1"), Outcome.INFRA, at=2000, reason="no such file: python3.12")
    assert all_of(stored) == []
    assert states(stored, cell("1.0")) == {"1.0": State.HEALTHY, "1.1": State.UNKNOWN}


@pytest.mark.parametrize("values", [[], [2.5] * 16])
def test_a_changed_format_never_passes(stored: Store, values: Sequence[float]) -> None:
    """transformers#38107: the log's format changed, nothing was read any more, and all passed."""
    served(stored, cell("1.0"), 2.5, at=1000)
    unread = tuple(
        replace(s, counters=Counters(completion_tokens=s.counters.completion_tokens)) for s in samples(values)
    )
    ended(stored, cell("1.1"), Outcome.MEASURED_NOTHING, at=2000, samples=unread)
    assert (only(stored).after, only(stored).standing) == ("broken", True)


def test_counters_that_are_gone_are_unknown_even_where_the_run_says_ok(stored: Store) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    unread = tuple(replace(s, counters=Counters()) for s in samples(around(2.5)))
    served(stored, cell("1.1"), 0, at=2000, samples=unread)
    judged(stored)
    assert states(stored, cell("1.0"))["1.1"] is State.UNKNOWN


@pytest.mark.parametrize("outcome", [Outcome.OOM, Outcome.ENVIRONMENT, Outcome.BUILD_FAILED, Outcome.HANG])
def test_an_unrelated_failure_mid_range_moves_no_culprit(stored: Store, outcome: Outcome) -> None:
    """syzkaller#3855 and #4888: another crash between good and bad."""
    for at, (version, length) in enumerate({"1.0": 2.5, "1.1": 2.5, "1.3": 1.0}.items(), start=1000):
        served(stored, cell(version), length, at=at)
    ended(stored, cell("1.2"), outcome, at=1500)
    found = only(stored)
    assert (found.from_revision, found.to_revision, found.after) == ("1.1", "1.3", "collapsed")


def test_a_skip_moves_no_culprit_of_a_bisection() -> None:
    points = [f"c{i}" for i in range(8)]
    state = begin(linear(points)).told(
        [
            Answer(GOOD_END, Said.GOOD),
            Answer(7, Said.BAD),
            Answer(2, Said.GOOD),
            Answer(4, Said.BAD),
            Answer(3, Said.GOOD),
        ]
    )
    crashed = state.told([Answer(5, Said.SKIP), Answer(1, Said.SKIP)])
    assert list(culprit(crashed)) == pytest.approx(list(culprit(state)))
    suspects = [decide(s).suspects for s in (state, crashed)]
    assert suspects[0] is not None and suspects[1] is not None
    assert suspects[0].changes == suspects[1].changes == (4,)
