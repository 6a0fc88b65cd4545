"""Stored flips explained: both sides, neighbours, the other engine, groups, what came after, the next command."""

from dataclasses import replace

import pytest

from matrix.app.attribute import counting, next_command, regressions
from matrix.app.regression import Regression
from matrix.core.cell import LaunchOptions
from matrix.core.expectation import Bonus, Expectation
from matrix.core.outcome import Outcome
from matrix.core.recipe import Artifact
from matrix.core.spec import Method
from matrix.stats.fault import FaultKind
from matrix.store import Store
from tests.app.stored import around, cell, ended, judged, served

OLD, BAD, FIXED = "0.5.4", "0.5.5.post3", "0.5.6"
LLAMA = {"target": "Llama-3.1-8B", "draft": "llama-eagle3"}


def fall(store: Store) -> None:
    served(store, cell(OLD), 2.195, at=1000)
    served(store, cell(BAD), 1.0, at=2000)


def only(store: Store, standing: bool | None = True, **more: bool) -> Regression:
    (found,) = regressions(judged(store), standing, **more)
    return found


def test_the_issue_in_one_sentence(stored: Store) -> None:
    fall(stored)
    for version, at in ((OLD, 1000), (BAD, 2000)):
        served(stored, cell(version, **LLAMA), 2.8, at=at)
    served(stored, cell("0.11.0", engine="vllm"), 2.3, at=1500)
    found = only(stored)
    assert found.fault.kind == "engine"
    assert found.fault.text == (
        "engine: only Qwen2.5-VL-7B drafts on SGLang fell; vLLM runs the same file at 2.30 (0.11.0)"
    )
    assert (found.value_before, found.value_after) == (pytest.approx(2.195, abs=1e-3), 1.0)
    assert (found.status, found.now, found.fixed_in, found.use) == ("new", "collapsed", None, OLD)


def test_settings_that_the_release_changed_are_named_first(stored: Store) -> None:
    served(stored, cell(OLD, k=8), 3.2, at=1000)
    served(stored, cell(BAD, k=8), 2.1, at=2000, resolved={"k": 4})
    found = only(stored)
    assert found.fault.kind == "settings"
    assert found.fault.text == f"settings: k fell from 8 to 4; engine: SGLang {OLD} -> {BAD}"


def test_an_exchanged_file_is_found_in_the_series_before_it(stored: Store) -> None:
    """Another file is another series, so the fall is a new failure there, and its predecessor has the same names."""
    served(stored, cell(OLD, draft_content="a"), 2.2, at=1000)
    served(stored, cell(BAD, draft_content="b"), 1.0, at=2000)
    judged(stored)
    assert regressions(stored) == []
    found = only(stored, None)
    assert found.change == "new failure" and found.fault.kind == "draft"
    assert found.fault.text.startswith("draft file changed (a00000000000 -> b00000000000)")


def test_other_hardware_is_another_series_and_no_regression(stored: Store) -> None:
    served(stored, cell(OLD), 2.2, at=1000)
    other = cell(BAD)
    served(stored, replace(other, hardware=replace(other.hardware, gpu="MI300X")), 1.9, at=2000)
    assert regressions(judged(stored), None) == []


def test_the_same_artifact_on_both_sides_blames_nobody(stored: Store) -> None:
    artifact = Artifact("venv", "/env", "same", ("sglang==0.5.4",), 1.0, False)
    served(stored, cell(OLD), 2.2, at=1000, artifact=artifact, resolved={"k": 4})
    served(stored, cell(BAD), 1.0, at=2000, artifact=artifact, resolved={"k": 4})
    assert only(stored).fault.kind == "unknown"


def test_cells_of_one_cause_are_one_group(stored: Store) -> None:
    fall(stored)
    for version, at, length in ((OLD, 1000, 2.9), (BAD, 2000, 1.0)):
        served(stored, cell(version, method=Method.EAGLE, draft="older-head"), length, at=at)
        served(stored, cell(version, target="Llama-3.1-8B", draft="small", method=Method.DRAFT_MODEL), length, at=at)
    found = regressions(judged(stored))
    assert sorted(len([i for i in found if i.group == item.group]) for item in found) == [1, 2, 2]
    assert {item.group for item in found} <= {item.flip_id for item in found}


def test_crashes_with_one_signature_are_one_group(stored: Store) -> None:
    for spec in ({}, {"target": "Llama-3.1-8B", "draft": "small", "method": Method.DRAFT_MODEL}):
        served(stored, cell(OLD, **spec), 2.2, at=1000)
        ended(stored, cell(BAD, **spec), Outcome.LOAD_CRASH, at=2000)
    assert len({item.group for item in regressions(judged(stored))}) == 1


def test_what_came_after(stored: Store) -> None:
    fall(stored)
    served(stored, cell("0.5.5.post4"), 1.0, at=2500)
    assert only(stored).status == "still failing"
    served(stored, cell(FIXED), 2.2, at=3000)
    found = only(stored, None)
    assert (found.status, found.now, found.fixed_in) == ("fixed", "healthy", FIXED)
    assert (found.use, found.next) == (f"{OLD} or >= {FIXED}", None)
    assert regressions(stored) == []


def test_a_repair_that_did_not_last_is_no_lower_bound(stored: Store) -> None:
    fall(stored)
    served(stored, cell(FIXED), 2.2, at=3000)
    served(stored, cell("0.5.7"), 1.0, at=4000)
    newest, first = regressions(judged(stored), None)
    assert (first.use, newest.use) == (f"{OLD} or {FIXED}", FIXED)
    assert (newest.standing, first.standing) == (True, False)


def test_the_next_command_bisects_that_very_cell(stored: Store) -> None:
    fall(stored)
    assert only(stored).next == (
        f"matrix bisect run --engine sglang --good {OLD} --bad {BAD} --regress accept --target Qwen2.5-VL-7B "
        "--draft qwen-eagle3 --method eagle3 --spec eagle3-k4 --workload standard"
    )


def test_a_launch_option_that_turns_the_fall_back_is_told(stored: Store) -> None:
    served(stored, cell(OLD), 3.18, at=1000, resolved={"k": 4, "disable_overlap_schedule": True})
    served(stored, cell(BAD), 2.14, at=2000, resolved={"k": 4, "disable_overlap_schedule": False})
    old = replace(cell(BAD), launch=LaunchOptions(env=(("SGLANG_ENABLE_SPEC_V2", "0"),)))
    served(stored, old, 3.18, at=2000, resolved={"k": 4, "disable_overlap_schedule": True})
    found = only(stored)
    assert found.fault.kind == "settings"
    assert found.fault.evidence[0] == f"SGLang {BAD} gives 3.18 with `SGLANG_ENABLE_SPEC_V2=0`"


def test_published_values_stand_beside_the_measured_one(stored: Store) -> None:
    said = Expectation("qwen-eagle3", 2.2, Bonus.YES, "mt-bench", 4, "https://example.org/card")
    elsewhere = replace(said, target="Llama-3.1-8B")
    stored.published.replace({"qwen-eagle3": [said, elsewhere]})
    fall(stored)
    (expectation,) = only(stored).expectations
    assert expectation.text.startswith("measured 1.00, published 2.2 on mt-bench at k = 4, -55 %; other prompts")
    assert (expectation.link, expectation.share) == ("https://example.org/card", pytest.approx(-0.545, abs=1e-3))


def test_one_series_and_all_are_the_same_words(stored: Store) -> None:
    fall(stored)
    served(stored, cell(OLD, **LLAMA), 2.8, at=1000)
    served(stored, cell(BAD, **LLAMA), 1.0, at=2000, values=around(1.0))
    whole = regressions(judged(stored))
    for item in whole:
        assert regressions(stored, series_key=item.series_key) == [item]
    assert len(counting(stored)) == 2


def test_a_run_without_settings_or_lock_is_explained_too(stored: Store) -> None:
    served(stored, cell(OLD), 2.2, at=1000, resolved={}, artifact=None)
    ended(stored, cell(BAD), Outcome.LOAD_CRASH, at=2000, resolved={}, artifact=None)
    found = only(stored)
    assert found.fault.kind == "engine" and "were not told" in found.fault.evidence[0]
    assert (found.value_after, found.signature) == (None, "sig")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FaultKind.LOCK, "matrix bisect packages --good {good} --bad {bad} --regress accept"),
        (FaultKind.ENGINE, f"matrix bisect run --engine sglang --good {OLD} --bad {BAD} --regress accept"),
    ],
)
def test_where_packages_alone_differ_they_are_searched(stored: Store, kind: FaultKind, words: str) -> None:
    fall(stored)
    found = only(stored)
    command = next_command(found, kind)
    assert command is not None and command.startswith(words.format(good=found.from_run, bad=found.to_run))
