"""Every vLLM dialect in this process: its own counters and its scrapes give the scripted acceptance, or nothing."""

import json
from dataclasses import replace

import pytest

from matrix.core.counters import accept_length, combine
from matrix.core.model import Model
from matrix.core.recipe import Placement
from matrix.core.result import Sample
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.engines.registry import adapter_for
from matrix.plan.expand import expand
from matrix.probes.accept import run_probe
from matrix.probes.client import Client, Rendered
from matrix.probes.probe import Probe
from tests.fakes.engine import FakeEngine, Script, simulate
from tests.fakes.rows import key
from tests.fakes.vllm_rows import RELEASES
from tests.fakes.vllm_speech import parse, settle
from tests.plan.build import config, inputs
from tests.probes.conftest import workload_of

ADAPTER = adapter_for("vllm")
HEAD = SpecConfig("head", Method.EAGLE3, Model("head", "/h"), 3)
LOOKUP = SpecConfig("lookup", Method.NGRAM, None, 3)
BASE = expand(config(), inputs(["1.0.0"])).cells[0]
WORKLOAD = workload_of(6, 96)


def measured(release: str, spec: SpecConfig, **script: object) -> tuple[list[Sample], FakeEngine]:
    cell = replace(BASE, revision=Revision("vllm", release), spec=spec, install="site", site="/s")
    names = ADAPTER.counters(cell)
    with FakeEngine(Script(version=release, **script), spec=not spec.is_baseline) as engine:  # type: ignore[arg-type]
        client = Client(engine.url, engine.name, dialect=names.dialect)
        return run_probe(Probe(client, WORKLOAD, lambda p: Rendered(p.text), names, spec, settle_s=2.0)), engine


def truth(engine: FakeEngine, *, draftless: bool = False) -> list[float]:
    found = []
    for prompt in WORKLOAD.prompts:
        sums, _ = simulate(engine.script, prompt.text, WORKLOAD.max_tokens)
        found.append((WORKLOAD.max_tokens - 1) / sums["decode"] if draftless else 1 + sums["accepted"] / sums["steps"])
    return found


@pytest.mark.parametrize("release", RELEASES)
def test_counters_are_read_under_the_releases_names(release: str) -> None:
    samples, engine = measured(release, HEAD)
    assert [accept_length(s.counters) for s in samples] == pytest.approx(truth(engine))
    assert not {flag for s in samples for flag in s.flags}
    assert all(s.cross_check and s.cross_check.decode_steps == s.cross_check.steps for s in samples)


@pytest.mark.parametrize("release", RELEASES)
def test_steps_without_a_draft_are_read_under_the_releases_names(release: str) -> None:
    samples, engine = measured(release, LOOKUP, draftless=0.6)
    lengths = [accept_length(s.counters, draftless=True) for s in samples]
    assert lengths == pytest.approx(truth(engine, draftless=True))


@pytest.mark.parametrize("release", RELEASES)
def test_a_baseline_is_nothing(release: str) -> None:
    samples, _ = measured(release, BASELINE)
    assert {(accept_length(s.counters), s.counters.steps) for s in samples} == {(None, None)}
    assert combine(s.counters for s in samples).completion_tokens == 6 * 96


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("spec", [BASELINE, HEAD, LOOKUP], ids=lambda s: s.name)
def test_every_release_takes_our_command_line(release: str, spec: SpecConfig) -> None:
    launch = replace(BASE.launch, dtype="bfloat16", max_model_len=512, flags=("--enforce-eager",))
    cell = replace(BASE, revision=Revision("vllm", release), spec=spec, install="site", site="/s", launch=launch)
    plan = ADAPTER.launch(cell, Placement("/m/target", "/m/head", "127.0.0.1", 8123, "run-1"))
    args = parse(list(plan.args), release)
    assert settle(release, args.speculative_config, dict(plan.env)) == ("V1", "")
    wanted = not spec.is_baseline and key(release) >= key("0.29.0")
    assert (getattr(args, "per_request_spec_decode_metrics", None) is not None) is wanted


@pytest.mark.parametrize(
    ("release", "body", "said"),
    [
        ("0.8.5", {"method": "ngram", "prefill_token_shift": 1}, "TypeError: SpeculativeConfig.__init__() got an"),
        ("0.11.0", {"method": "ngram", "prefill_token_shift": 1}, ""),
        ("0.17.1", {"method": "ngram", "prefill_token_shift": 1}, "1 validation error for SpeculativeConfig"),
        ("0.11.0", {"method": "draft_model"}, "NotImplementedError: Speculative decoding with draft model"),
        ("0.33.0", {"method": "medusa"}, "Unsupported speculative method: 'medusa'"),
    ],
)
def test_what_a_release_refuses_is_refused_in_its_words(release: str, body: dict[str, object], said: str) -> None:
    refusal = settle(release, body, {})[1]
    assert said in refusal and bool(refusal) is bool(said)


def test_retired_and_future_flags_end_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    for release, flag in (("0.17.1", "--disable-log-requests"), ("0.28.0", "--per-request-spec-decode-metrics")):
        with pytest.raises(SystemExit) as left:
            parse(["--model", "/m", flag, "summary"], release)
        assert left.value.code == 2
        assert f"error: unrecognized arguments: {flag}" in capsys.readouterr().err


@pytest.mark.parametrize(("asked", "engine"), [(None, "V0"), ("1", "V1"), ("0", "V0")])
def test_the_oldest_release_speculates_in_v1_only_when_asked_to(asked: str | None, engine: str) -> None:
    env = {} if asked is None else {"VLLM_USE_V1": asked}
    assert settle("0.8.5", json.loads('{"method": "eagle"}'), env) == (engine, "")
