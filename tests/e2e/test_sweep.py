"""A sweep over stub releases through the real venv executor: what is measured, judged, shown and not measured twice."""

from pathlib import Path

import pytest

from tests.e2e.kit import Place, place, toml

CONTRACT = """run_id engine revision target draft method k steps topk draft_tokens launch workload kind concurrency executor
hardware outcome tier accept_length per_position acceptance_rate verify_steps proposed accepted output_tok_s baseline_tok_s
speedup samples build_s start_s probe_s artifact reason evidence finished_at"""
COLLAPSE = {"by_version": {"1.1.0": {"acceptance": [0.0, 0.0, 0.0]}}}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """One sweep of two releases, the newer of which accepts nothing."""
    here = place(tmp_path_factory.mktemp("swept"))
    here.write(toml(COLLAPSE))
    done = here.run("sweep")
    assert done.returncode == 1, done.stderr
    assert "regression: " in done.stderr
    return here


def test_every_cell_has_one_run_with_all_contract_keys(swept: Place) -> None:
    rows = swept.lines("results")
    assert [(r["revision"], r["method"], r["outcome"]) for r in rows] == [
        ("1.0.0", "none", "ok"),
        ("1.0.0", "eagle3", "ok"),
        ("1.1.0", "none", "ok"),
        ("1.1.0", "eagle3", "ok"),
    ]
    assert set(CONTRACT.split()) <= rows[0].keys()


def test_values_are_measured_and_missing_ones_null(swept: Place) -> None:
    baseline, healthy, _, collapsed = swept.lines("results")
    assert (baseline["accept_length"], baseline["speedup"], baseline["draft"]) == (None, None, None)
    assert 1.5 < healthy["accept_length"] < 3.5
    assert healthy["accept_length"] == pytest.approx(1 + healthy["accepted"] / healthy["verify_steps"])
    assert len(healthy["per_position"]) == 3
    assert healthy["speedup"] == pytest.approx(healthy["output_tok_s"] / healthy["baseline_tok_s"])
    assert collapsed["accept_length"] == 1.0


def test_exactly_the_broken_series_is_named(swept: Place) -> None:
    done = swept.run("regressions", "--json")
    assert done.returncode == 1
    (flip,) = swept.lines("regressions")
    assert (flip["from_revision"], flip["to_revision"]) == ("1.0.0", "1.1.0")
    assert (flip["before"], flip["after"], flip["change"]) == ("healthy", "collapsed", "regression")
    assert (flip["draft"], flip["metric"]) == ("head", "accept-length")


def test_a_second_sweep_measures_nothing_anew(swept: Place) -> None:
    before = swept.lines("results")
    done = swept.run("sweep")
    assert done.returncode == 1
    assert "4 measured, 0 to do" in done.stderr
    assert swept.lines("results") == before


def test_the_plan_tells_what_is_measured_and_runs_nothing(swept: Place) -> None:
    assert {row["status"] for row in swept.lines("plan")} == {"measured"}
    done = swept.run("plan", "spec=eagle3", "version=1.1.0")
    assert done.returncode == 0
    assert "2 cells by venv, 2 measured, 0 to do" in " ".join(done.stdout.split())


def test_a_release_that_was_not_read_is_marked_and_told(swept: Place) -> None:
    said = " ".join(swept.run("plan", "version=1.1.0").stdout.split())
    assert "measured *" in said and "* vllm 1.1.0 is none of the releases that were read" in said
    reasons = [row["reason"] for row in swept.lines("results") if row["outcome"] == "ok"]
    assert reasons and all("its rules are unverified" in reason for reason in reasons)


def test_judging_again_changes_nothing(swept: Place) -> None:
    before = swept.lines("regressions")
    assert swept.run("judge").returncode == 0
    assert swept.lines("regressions") == before


def test_status_shows_the_last_sweep(swept: Place) -> None:
    (view,) = swept.lines("status")
    assert (view["status"], view["done"], view["total"]) == ("done", 4, 4)


def test_forcing_measures_once_more_and_keeps_the_first(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    assert here.run("sweep").returncode == 0
    first = here.lines("results")
    assert here.run("sweep", "--force", "spec=eagle3").returncode == 0
    rows = here.lines("results")
    assert rows[:2] == first
    assert [r["boot"] for r in rows] == [0, 0, 1, 1]
    assert rows[3]["accept_length"] == first[1]["accept_length"]
    assert rows[3]["artifact"] == first[1]["artifact"]


def test_ranges_and_latest_ask_the_users_own_index(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0", "1.1.0", "1.2.0rc1", "2.0.0")
    here.write(toml(versions='">=1.1,<3"'))
    assert {r["version"] for r in here.lines("plan")} == {"1.1.0", "2.0.0"}
    here.write(toml(versions='"latest:1"'))
    assert {r["version"] for r in here.lines("plan")} == {"2.0.0"}


def test_an_exclusion_shows_its_reason(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.write(toml(extra='[[exclude]]\nspec = "eagle3"\nversion = "1.0.*"\nreason = "known to hang there"\n'))
    (left_out,) = [r for r in here.lines("plan") if r["status"] == "excluded"]
    assert (left_out["version"], left_out["reason"]) == ("1.0.0", "known to hang there")
    assert "known to hang there" in here.run("plan").stdout


def test_changed_weights_start_another_series(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    assert here.run("sweep").returncode == 0
    (here.folder / "models" / "head" / "model.safetensors").write_bytes(b"retrained")
    statuses = {r["spec"]: r["status"] for r in here.lines("plan")}
    assert statuses == {"baseline": "measured", "eagle3": "to-do"}


def test_the_regression_is_explained_and_acknowledged_until_it_counts_again(swept: Place) -> None:
    (flip,) = swept.lines("regressions")
    assert flip["fault"]["kind"] == "engine" and flip["use"] == "1.0.0"
    assert (flip["value_after"], flip["status"]) == (1.0, "new")
    assert flip["next"].startswith("matrix ")
    assert swept.run("ack", str(flip["flip_id"]), "--reason", "known upstream", "--until", "30d").returncode == 0
    assert swept.run("regressions").returncode == 0
    done = swept.run("sweep")
    assert done.returncode == 0 and "acknowledged: " in done.stderr and "regression: " not in done.stderr
    assert swept.run("ack", "--remove", "1").returncode == 0
    assert swept.run("regressions").returncode == 1
