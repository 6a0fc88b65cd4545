"""SGLang's recipe, launch plan and counters, release by release."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from matrix.core.cell import Cell
from matrix.core.errors import ConfigError
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.core.recipe import OwnNames, Placement
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.engines.registry import adapter_for
from matrix.plan.expand import expand
from tests.fakes.sglang_rows import RELEASES
from tests.fakes.sglang_speech import parse, settle, since
from tests.plan.build import config, inputs

ADAPTER = adapter_for("sglang")
PLACE = Placement("/m/target", "/m/draft", "127.0.0.1", 8123, "run-1")


def cell(version: str, spec: SpecConfig = BASELINE, **launch: Any) -> Cell:
    base = expand(config(), inputs(["1.0.0"])).cells[0]
    options = replace(base.launch, **launch)
    return replace(base, revision=Revision("sglang", version), spec=spec, launch=options, install="site", site="/s")


def spec(method: Method = Method.EAGLE3, k: int | None = 3, **more: Any) -> SpecConfig:
    draft = Model("head", "/h", "h", "1") if method.needs_draft else None
    return SpecConfig("s", method, draft, k, **more)


def speculative(version: str, asked: SpecConfig) -> dict[str, str]:
    place = PLACE if asked.draft else replace(PLACE, draft=None)
    args = list(ADAPTER.launch(cell(version, asked), place).args)
    return {a.removeprefix("--speculative-"): b for a, b in pairwise(args) if "--speculative-" in a}


def test_the_launch_serves_our_name_with_caches_off_and_every_step_told() -> None:
    args = ADAPTER.launch(cell("0.5.15"), PLACE).args
    pairs = dict(pairwise(args))
    assert (pairs["--model-path"], pairs["--served-model-name"]) == ("/m/target", "run-1")
    assert (pairs["--host"], pairs["--port"], pairs["--decode-log-interval"]) == ("127.0.0.1", "8123", "1")
    assert {"--disable-radix-cache", "--enable-metrics"} <= set(args)
    assert not [a for a in args if "speculative" in a]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("asked", [spec(), spec(k=None), spec(k=4, topk=4, draft_tokens=16), spec(Method.MTP)])
def test_all_three_sizes_are_given_or_none(release: str, asked: SpecConfig) -> None:
    sizes = {"num-steps", "eagle-topk", "num-draft-tokens"} & set(speculative(release, asked))
    assert len(sizes) == (3 if asked.k else 0)


@pytest.mark.parametrize("more", [{"topk": 4, "draft_tokens": 8}, {"draft_tokens": 8}, {"topk": 1}])
def test_some_of_the_sizes_alone_are_refused(more: dict[str, int]) -> None:
    assert "together" in (ADAPTER.unsupported(cell("0.5.9", spec(k=None, **more))) or "")


def test_sizes_not_asked_for_make_a_chain() -> None:
    sizes = {"num-steps": "3", "eagle-topk": "1", "num-draft-tokens": "4"}
    assert speculative("0.5.15", spec()) == {"algorithm": "EAGLE3", "draft-model-path": "/m/draft"} | sizes


def test_sizes_asked_for_are_passed_on() -> None:
    asked = speculative("0.5.5", spec(k=4, topk=1, draft_tokens=24))
    assert (asked["num-steps"], asked["eagle-topk"], asked["num-draft-tokens"]) == ("4", "1", "24")
    tree = speculative("0.5.5", spec(k=4, topk=4, draft_tokens=16))
    assert (tree["eagle-topk"], tree["num-draft-tokens"]) == ("4", "16")


def test_a_tree_without_its_size_is_refused() -> None:
    assert "draft_tokens" in (ADAPTER.unsupported(cell("0.5.5", spec(topk=4))) or "")


@pytest.mark.parametrize(
    ("method", "since_", "name"),
    [
        (Method.EAGLE, "0.4.6.post5", "EAGLE"),
        (Method.EAGLE3, "0.4.6.post5", "EAGLE3"),
        (Method.MTP, "0.4.6.post5", "NEXTN"),
        (Method.DRAFT_MODEL, "0.5.2", "STANDALONE"),
        (Method.NGRAM, "0.5.3", "NGRAM"),
    ],
)
def test_methods_are_spelled_or_not_applicable_with_the_first_release(method: Method, since_: str, name: str) -> None:
    for release in RELEASES:
        reason = ADAPTER.unsupported(cell(release, spec(method)))
        if since(release, since_):
            assert reason is None and speculative(release, spec(method))["algorithm"] == name
        else:
            assert reason == f"SGLang has {name} from {since_} on; this is {release}"


@pytest.mark.parametrize("method", [Method.SUFFIX, Method.MEDUSA])
def test_methods_that_sglang_never_had_say_so(method: Method) -> None:
    assert "SGLang has no" in (ADAPTER.unsupported(cell("0.5.23", spec(method))) or "")


def test_layers_of_the_target_draft_for_it() -> None:
    assert speculative("0.5.9", spec(Method.MTP))["draft-model-path"] == "/m/target"


def test_lookup_has_draft_tokens_alone() -> None:
    asked = spec(Method.NGRAM, extra=(("ngram_capacity", 1000), ("ngram_external", False)))
    assert speculative("0.5.9", asked) == {"algorithm": "NGRAM", "num-draft-tokens": "4", "ngram-capacity": "1000"}


def test_an_algorithm_of_sglangs_own_is_named_in_extra() -> None:
    uno = spec(Method.DRAFT_MODEL, extra=(("algorithm", "UNO"),))
    assert ADAPTER.unsupported(cell("0.5.18", uno)) == "SGLang has UNO from 0.5.20 on; this is 0.5.18"
    assert speculative("0.5.20", uno)["algorithm"] == "UNO"
    own = ADAPTER.counters(cell("0.5.20", uno)).own
    assert own is not None and own.sure == 2
    assert "no speculative algorithm" in (ADAPTER.unsupported(cell("0.5.20", spec(extra=(("algorithm", "X"),)))) or "")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("asked", [BASELINE, spec(), spec(k=4, topk=1, draft_tokens=24), spec(Method.NGRAM)])
def test_every_release_accepts_the_command_line(release: str, asked: SpecConfig) -> None:
    wanted = cell(release, asked, flags=("--cuda-graph-max-bs", "8", "--tp-size", "2"), dtype="bfloat16")
    if ADAPTER.unsupported(wanted) is None:
        args = parse(list(ADAPTER.launch(wanted, PLACE).args), release)
        settle(args)
        assert args.tp_size == 2
        assert args.speculative_num_draft_tokens == (None if asked.is_baseline else (asked.k or 0) + 1)


def test_flags_are_passed_on_in_the_releases_spelling() -> None:
    flags = ("--cuda-graph-max-bs=8", "--attention-backend", "triton")
    assert "--cuda-graph-max-bs=8" in ADAPTER.launch(cell("0.5.18", flags=flags), PLACE).args
    new = ADAPTER.launch(cell("0.5.20", flags=flags, max_model_len=512), PLACE).args
    assert new[new.index("--cuda-graph-max-bs-decode=8") + 1 :] == ("--attention-backend", "triton")
    assert new[new.index("--context-length") + 1] == "512"


@pytest.mark.parametrize("flag", ["--port", "--model-path=/x", "--speculative-num-steps", "--speculative-draft=x"])
def test_a_flag_that_a_run_sets_itself_is_refused(flag: str) -> None:
    with pytest.raises(ConfigError, match="every run sets"):
        ADAPTER.launch(cell("0.5.9", flags=(flag, "3")), PLACE)


def test_a_flag_of_the_users_wins_over_ours_and_stands_once() -> None:
    flags = ("--decode-log-interval", "40", "--random-seed=5")
    args = ADAPTER.launch(cell("0.5.9", flags=flags), PLACE).args
    names = [a.partition("=")[0] for a in args if a.startswith("--")]
    assert len(names) == len(set(names)) and args[-3:] == flags


@pytest.mark.parametrize(
    ("flags", "asked", "gpus"),
    [
        ((), 2, 2),
        (("--tp", "2"), 0, 2),
        (("--tp-size=2", "--pp-size", "2", "--dp", "2"), 0, 8),
        (("--tp", "4", "--dp", "4", "--enable-dp-attention"), 0, 4),
        (("--tp", "2"), 8, 8),
    ],
)
def test_gpus_follow_from_the_parallel_sizes(flags: tuple[str, ...], asked: int, gpus: int) -> None:
    assert ADAPTER.launch(cell("0.5.9", flags=flags, gpus=asked), PLACE).gpus == gpus


@pytest.mark.parametrize(("method", "word"), [(Method.DRAFT_MODEL, "standalone"), (Method.NGRAM, "ngram")])
def test_data_parallel_attention_refuses_two_methods(method: Method, word: str) -> None:
    ranks = ("--dp", "2", "--tp", "2", "--enable-dp-attention")
    assert word in (ADAPTER.unsupported(cell("0.5.9", spec(method), flags=ranks)) or "")
    assert ADAPTER.unsupported(cell("0.5.9", spec(method), flags=ranks[:4])) is None
    assert ADAPTER.unsupported(cell("0.5.9", spec(), flags=ranks)) is None


def on(architecture: str, release: str, asked: SpecConfig | None = None) -> Cell:
    base = cell(release, asked or spec())
    return replace(base, target=replace(base.target, architecture=architecture))


@pytest.mark.parametrize(
    ("architecture", "before", "since_"),
    [
        ("Qwen2_5_VLForConditionalGeneration", "0.5.1", "0.5.2"),
        ("Qwen3VLForConditionalGeneration", "0.5.10", "0.5.11"),
        ("Glm4MoeForCausalLM", "0.5.4.post3", "0.5.5"),
    ],
)
def test_targets_have_eagle3_from_a_release_on(architecture: str, before: str, since_: str) -> None:
    reason = f"SGLang drafts for {architecture} with EAGLE-3 heads from {since_} on; this is {before}"
    assert ADAPTER.unsupported(on(architecture, before)) == reason
    assert ADAPTER.unsupported(on(architecture, since_)) is None
    assert ADAPTER.unsupported(on(architecture, before, BASELINE)) is None


HOOKLESS = "AttributeError: '{}' object has no attribute 'set_eagle3_layers_to_capture'"


@pytest.mark.parametrize(
    ("architecture", "release", "outcome"),
    [
        ("Qwen3VLForConditionalGeneration", "0.5.10", Outcome.UNSUPPORTED),
        ("Qwen3VLForConditionalGeneration", "0.5.11", Outcome.LOAD_CRASH),
        ("OddForCausalLM", "0.5.11", Outcome.UNSUPPORTED),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_missing_hooks_are_a_crash_only_where_the_release_should_have_them(
    architecture: str, release: str, outcome: Outcome, known: bool
) -> None:
    log = f"Scheduler hit an exception: Traceback (most recent call last):\n{HOOKLESS.format(architecture)}\n"
    wanted = on(architecture if known else "", release)
    failure = ADAPTER.classify(log, served=False, exit_=ServerExit(1), cell=wanted)
    assert failure.outcome is outcome and architecture in failure.reason
    assert (failure.signature == "eagle3-target-unsupported") is (outcome is Outcome.UNSUPPORTED)
    if "VL" in architecture and outcome is Outcome.UNSUPPORTED:
        assert "SGLang has them from 0.5.11 on" in failure.reason


def test_without_a_cell_missing_hooks_stay_the_crash_that_they_look_like() -> None:
    failure = ADAPTER.classify(HOOKLESS.format("OddForCausalLM"), served=False, exit_=ServerExit(1))
    assert (failure.outcome, failure.signature) == (Outcome.LOAD_CRASH, "eagle3-hooks-missing")


def test_the_environment_fakes_no_acceptance() -> None:
    plan = ADAPTER.launch(cell("0.5.15", env=(("SGLANG_ENABLE_SPEC_V2", "1"),)), PLACE)
    assert {"SGLANG_SIMULATE_ACC_LEN", "SIMULATE_ACC_LEN", "SGLANG_ENABLE_SPEC_V2", "SGLANG_RUST_SERVER"} <= set(
        plan.unset
    )
    env = dict(plan.env)
    assert env["SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"] == "1" and env["SGLANG_ENABLE_SPEC_V2"] == "1"


@pytest.mark.parametrize(
    ("release", "own"),
    [
        ("0.5.3", OwnNames("spec_verify_ct")),
        ("0.5.4", OwnNames("spec_verify_ct", reported="spec_accept_length")),
        (
            "0.5.6",
            OwnNames("spec_verify_ct", "spec_draft_token_num", "spec_accept_token_num", "", "spec_accept_length"),
        ),
        (
            "0.5.23",
            OwnNames(
                "spec_verify_ct",
                "spec_num_proposed_drafts",
                "spec_num_correct_drafts",
                "spec_correct_drafts_histogram",
                "spec_accept_length",
            ),
        ),
    ],
)
def test_counters_are_those_of_the_release(release: str, own: OwnNames) -> None:
    names = ADAPTER.counters(cell(release, spec(k=3)))
    assert (names.dialect, names.per_request, names.own) == ("sglang", True, replace(own, positions=3))
    assert names.completion_tokens == "sglang:generation_tokens_total"


def test_a_baseline_has_no_speculative_counters() -> None:
    names = ADAPTER.counters(cell("0.5.23"))
    assert (names.per_request, names.own, names.steps) == (False, None, "")


def test_recipe_is_the_folder_as_it_is() -> None:
    recipe = ADAPTER.recipe(cell("0.5.15"))
    assert (recipe.site, recipe.requirements) == ("/s", ("sglang==0.5.15",))
    elsewhere = ADAPTER.recipe(replace(cell("0.5.15"), site="/elsewhere"))
    assert recipe.text == elsewhere.text and "/s" not in recipe.text
