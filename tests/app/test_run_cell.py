"""One cell from recipe to result, against a scripted engine: every end is an outcome with its reason."""

from pathlib import Path

import pytest

from matrix.app.bench import Baseline
from matrix.app.run_cell import run_cell
from matrix.core.counters import accept_length
from matrix.core.errors import BuildError, EnvironmentMismatchError, InfraError
from matrix.core.outcome import Outcome
from matrix.core.result import RunResult
from matrix.store.runrow import run_to_row
from tests.app.build import FakeExecutor, Seen, bench, cell
from tests.fakes.engine import Script


def run(tmp_path: Path, spec: str = "eagle", baseline: Baseline | None = None, **script: object) -> RunResult:
    executor = FakeExecutor(**{spec: Script(**script)})  # type: ignore[arg-type]
    result = run_cell(cell(spec), bench(executor, tmp_path, baseline, request_s=1, start_s=2), "run1")
    assert [s.stops for s in executor.servers] == [1]
    return result


def baseline_run(tmp_path: Path) -> Baseline:
    result = run(tmp_path, "baseline")
    assert result.outcome is Outcome.OK
    return "base", result.samples, result.noise


def test_a_healthy_draft_is_measured_prompt_by_prompt(tmp_path: Path) -> None:
    result = run(tmp_path, baseline=baseline_run(tmp_path))
    assert result.outcome is Outcome.OK
    assert len(result.samples) == 1
    length = accept_length(result.counters)
    assert length is not None and 1.5 < length < 3.5
    assert f"accept length {length:.3f}" in result.reason
    assert result.samples[0].divergence is None
    assert result.samples[0].cross_check is not None
    assert list(dict(result.phases)) == ["build", "start", "warmup", "probe", "stop"]
    assert result.artifact is not None and result.artifact.digest == "digest"
    assert "--speculative-config" in result.command


def test_the_baseline_has_no_accept_length_and_keeps_alternatives(tmp_path: Path) -> None:
    result = run(tmp_path, "baseline")
    assert accept_length(result.counters) is None
    assert result.samples[0].alternatives
    assert result.noise == {"passes": 1.0, "limit": 0.0}
    assert "logprobs" in dict(result.phases)


def test_nothing_accepted_is_exactly_one_and_flagged(tmp_path: Path) -> None:
    result = run(tmp_path, acceptance=[0.0, 0.0, 0.0])
    assert result.outcome is Outcome.OK
    assert accept_length(result.counters) == 1.0
    assert "exactly-one" in result.samples[0].flags


@pytest.mark.parametrize(
    ("script", "outcome", "says"),
    [
        ({"mode": "no-counters", "per_request": False}, Outcome.MEASURED_NOTHING, "no draft counters"),
        ({"mode": "no-metrics", "per_request": False}, Outcome.MEASURED_NOTHING, "no draft counters"),
        ({"draftless": 1.0, "per_request": False}, Outcome.MEASURED_NOTHING, "no draft was ever verified"),
        ({"mode": "never-ready"}, Outcome.HANG, "not ready after 2 s"),
        ({"mode": "hang", "after": 2}, Outcome.HANG, "within 1 s"),
        ({"mode": "garbage", "after": 2}, Outcome.MEASURED_NOTHING, "no JSON"),
        ({"mode": "status", "after": 2}, Outcome.SERVE_CRASH, "HTTP 500"),
        ({"mode": "dies", "after": 2, "exit_code": 0}, Outcome.SERVE_CRASH, "exit status 0"),
        ({"mode": "dies", "after": 0, "exit_code": 1}, Outcome.LOAD_CRASH, "exit status 1"),
        ({"mode": "foreign", "per_request": False}, Outcome.INFRA, "foreign-traffic"),
    ],
)
def test_every_bad_end_has_its_outcome(tmp_path: Path, script: dict[str, object], outcome: Outcome, says: str) -> None:
    result = run(tmp_path, **script)
    assert result.outcome is outcome, result.reason
    assert says in result.reason
    assert result.failure is not None and result.failure.signature
    assert accept_length(result.counters) is None or outcome in (Outcome.INFRA, Outcome.SERVE_CRASH, Outcome.HANG)


def test_wrong_output_is_told_from_rounding(tmp_path: Path) -> None:
    """One prompt alone cannot condemn a run, three of sixteen can: `tests/probes` holds the rule, here it is applied."""
    base = baseline_run(tmp_path)
    result = run(tmp_path, baseline=base, texts="swapped", gap=3.0)
    assert result.outcome is Outcome.OK
    divergence = result.samples[0].divergence
    assert divergence is not None and divergence.gap == pytest.approx(3.0)


def test_a_loop_is_flagged_beside_a_sane_baseline(tmp_path: Path) -> None:
    result = run(tmp_path, baseline=baseline_run(tmp_path), texts="loop")
    assert "loops" in result.samples[0].flags


@pytest.mark.parametrize(
    ("error", "at", "outcome"),
    [
        (BuildError("no such version", excerpt="pip said so"), "build", Outcome.BUILD_FAILED),
        (InfraError("the disk is full", hint="free space"), "build", Outcome.INFRA),
        (EnvironmentMismatchError("no GPU runtime", hint="install it"), "serve", Outcome.ENVIRONMENT),
    ],
)
def test_what_fails_around_the_engine_is_no_evidence(
    tmp_path: Path, error: Exception, at: str, outcome: Outcome
) -> None:
    executor = FakeExecutor(fail=error, fail_at=at)  # type: ignore[arg-type]
    result = run_cell(cell(), bench(executor, tmp_path), "run1")
    assert result.outcome is outcome
    assert not outcome.measured
    assert result.samples == ()


def test_an_unsupported_cell_is_not_built(tmp_path: Path) -> None:
    executor = FakeExecutor(fail=BuildError("must not be asked"))
    result = run_cell(cell(version="0.9.2"), bench(executor, tmp_path), "run1")
    assert result.outcome is Outcome.UNSUPPORTED
    assert "0.20.0" in result.reason


def test_an_interruption_stops_the_server(tmp_path: Path) -> None:
    executor = FakeExecutor()
    at = bench(executor, tmp_path)

    class Impatient(Seen):
        def phase(self, cell: object, phase: str, detail: str = "") -> None:
            if phase == "probe":
                raise KeyboardInterrupt

    from dataclasses import replace

    with pytest.raises(KeyboardInterrupt):
        run_cell(cell(), replace(at, progress=Impatient()), "run1")
    assert [s.stops for s in executor.servers] == [1]


def test_the_pooled_window_is_no_prompt(tmp_path: Path) -> None:
    from dataclasses import replace

    many = cell()
    prompts = tuple(replace(many.workload.prompts[0], id=f"p{i}", text=f"def f{i}(") for i in range(3))
    many = replace(many, workload=replace(many.workload, prompts=prompts, concurrency=2))
    result = run_cell(many, bench(FakeExecutor(), tmp_path), "run1")
    assert len(result.samples) == 4
    assert len(result.prompt_samples) == 3
    assert "over 3 prompts" in result.reason
    assert run_to_row(result)["samples"] == 3
