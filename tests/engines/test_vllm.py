"""vLLM's recipe, launch plan and counters, release by release."""

import json
from dataclasses import replace

import pytest

from matrix.core.cell import Cell
from matrix.core.model import Model
from matrix.core.recipe import Placement
from matrix.core.revision import Revision
from matrix.core.spec import Method, SpecConfig
from matrix.engines.vllm import VllmAdapter
from matrix.plan.expand import expand
from tests.plan.build import config, inputs

ADAPTER = VllmAdapter()
PLACE = Placement("/m/target", "/m/draft", "127.0.0.1", 8123, "run-1")


def cell(version: str, spec: SpecConfig | None = None) -> Cell:
    base = expand(config(), inputs([version])).cells[0]
    return replace(base, spec=spec) if spec else base


def eagle(k: int = 3) -> SpecConfig:
    return SpecConfig("e", Method.EAGLE3, Model("head", "/h", "h", "1"), k)


def value(args: tuple[str, ...], flag: str) -> str:
    return args[args.index(flag) + 1]


def test_the_launch_serves_our_name_on_our_port_with_caches_off() -> None:
    args = ADAPTER.launch(cell("0.32.0"), PLACE).args
    assert value(args, "--served-model-name") == "run-1"
    assert (value(args, "--host"), value(args, "--port")) == ("127.0.0.1", "8123")
    assert "--no-enable-prefix-caching" in args
    assert "--speculative-config" not in args


def test_the_draft_is_where_the_executor_put_it() -> None:
    body = json.loads(value(ADAPTER.launch(cell("0.32.0", eagle(5)), PLACE).args, "--speculative-config"))
    assert body == {"method": "eagle3", "model": "/m/draft", "num_speculative_tokens": 5}


@pytest.mark.parametrize(
    ("version", "has"), [("0.28.0", False), ("0.29.0", True), ("0.33.0", True), ("0.29.0rc1", False)]
)
def test_per_request_metrics_are_asked_for_where_the_release_has_them(version: str, has: bool) -> None:
    spec = cell(version, eagle())
    assert ("--per-request-spec-decode-metrics" in ADAPTER.launch(spec, PLACE).args) is has
    assert ADAPTER.counters(spec).per_request is has


def test_the_flag_is_not_given_without_speculation() -> None:
    baseline = cell("0.32.0")
    assert "--per-request-spec-decode-metrics" not in ADAPTER.launch(baseline, PLACE).args
    assert not ADAPTER.counters(baseline).per_request


def test_user_flags_and_environment_are_passed_through() -> None:
    base = cell("0.32.0")
    launch = replace(base.launch, flags=("--enforce-eager",), env=(("VLLM_CPU_KVCACHE_SPACE", "3"),), dtype="bfloat16")
    plan = ADAPTER.launch(replace(base, launch=launch), PLACE)
    assert plan.args[-1] == "--enforce-eager"
    assert value(plan.args, "--dtype") == "bfloat16"
    assert dict(plan.env)["VLLM_CPU_KVCACHE_SPACE"] == "3"


def test_a_release_without_cpu_speculation_is_not_applicable() -> None:
    assert ADAPTER.unsupported(cell("0.14.1")) is None
    assert "0.20.0" in (ADAPTER.unsupported(cell("0.14.1", eagle())) or "")
    assert ADAPTER.unsupported(cell("0.27.1", eagle())) is None


def test_what_the_engine_settled_on_is_read_from_its_log() -> None:
    log = (
        "(EngineCore pid=7) INFO 01-02 03:04:05 [core.py:1] Initializing a V1 LLM engine (v0.99.1) with config: model='/t', "
        "speculative_config=SpeculativeConfig(method='eagle3', model='/d', num_spec_tokens=4), dtype=torch.bfloat16, "
        "max_seq_len=512, tensor_parallel_size=1, enforce_eager=True, enable_prefix_caching=False, seed=0\n"
    )
    resolved = ADAPTER.resolved(log)
    assert resolved["version"] == "0.99.1"
    assert (resolved["method"], resolved["k"]) == ("eagle3", 4)
    assert (resolved["dtype"], resolved["prefix_caching"], resolved["max_model_len"]) == ("bfloat16", "False", "512")
    assert ADAPTER.resolved("nothing here") == {}


def test_the_recipe_text_changes_with_the_version_only() -> None:
    assert ADAPTER.recipe(cell("0.32.0")).hash == ADAPTER.recipe(cell("0.32.0", eagle())).hash
    assert ADAPTER.recipe(cell("0.32.0")).hash != ADAPTER.recipe(cell("0.31.0")).hash
    assert Revision("vllm", "0.32.0") == cell("0.32.0").revision
