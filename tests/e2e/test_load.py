"""One and eight requests in flight, swept on both engines: two samples from one server, and crashes that need a batch."""

from typing import Any

import pytest

from tests.e2e.kit import Place
from tests.e2e.sites import SGLANG, VLLM, case_of, project, run_of

REST = """
[workloads.short]
limit = 4
max_tokens = 32
concurrency = [1, 8]
"""
ENGINES = {"vllm": VLLM, "vllm-old": ("vllm", "0.17.1"), "sglang": SGLANG}
CROWDED = {"by_method": {"eagle3": {"most_in_flight": 1, "token_s": 0.01, "exit_code": 1}}}
SCRIPTS: dict[str, dict[str, Any]] = {"fine": {}, "crowded": CROWDED}

Swept = tuple[Place, dict[tuple[str, str, str, int], dict[str, Any]]]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    here = project(tmp_path_factory.mktemp("load"), {}, REST, ENGINES, SCRIPTS)
    done = here.run("sweep")
    assert done.returncode in (0, 1), done.stderr
    rows = [row for row in here.lines("results") if row["method"] != "none"]
    return here, {(r["engine"], r["revision"], case_of(r), r["concurrency"]): r for r in rows}


@pytest.mark.parametrize(("engine", "version"), ENGINES.values())
def test_both_loads_are_stored_apart_from_one_start(swept: Swept, engine: str, version: str) -> None:
    here, rows = swept
    one, eight = (rows[engine, version, "fine", load] for load in (1, 8))
    assert (one["outcome"], eight["outcome"]) == ("ok", "ok")
    assert (one["workload"], eight["workload"]) == ("short", "short@8")
    assert one["run_id"] != eight["run_id"] and one["series_key"] != eight["series_key"]
    assert one["accept_length"] == pytest.approx(eight["accept_length"], rel=0.01)
    assert one["start_s"] is not None and eight["start_s"] is None
    assert run_of(here, eight).command == run_of(here, one).command


def test_a_release_without_counters_of_its_own_requests_tells_the_sum(swept: Swept) -> None:
    here, rows = swept
    eight = rows["vllm", "0.17.1", "fine", 8]
    samples = {s.prompt_id: s.accept_length for s in run_of(here, eight).samples}
    assert samples.pop("pooled") == pytest.approx(eight["accept_length"])
    assert set(samples.values()) == {None}
    own = {s.prompt_id: s.accept_length for s in run_of(here, rows["vllm", "0.32.0", "fine", 8]).samples}
    assert own.pop("pooled") is None and None not in own.values()


@pytest.mark.parametrize(("engine", "version"), ENGINES.values())
def test_a_crash_that_needs_a_batch_is_found(swept: Swept, engine: str, version: str) -> None:
    one, eight = (swept[1][engine, version, "crowded", load] for load in (1, 8))
    assert one["outcome"] == "ok" and one["accept_length"] > 1
    assert (eight["outcome"], eight["accept_length"]) == ("serve-crash", None)
    assert "at concurrency 8" in eight["reason"]


def test_nothing_is_left_to_do(swept: Swept) -> None:
    assert {line["status"] for line in swept[0].lines("plan")} == {"measured"}
