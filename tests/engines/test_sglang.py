"""SGLang's recipe, launch plan and counters, release by release."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from matrix.core.cell import Cell
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


def spec(method: Method = Method.EAGLE3, k: int = 3, **more: Any) -> SpecConfig:
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


LOG = (
    "[2026-01-01 00:00:00] server_args=ServerArgs(model_path='/a, b=1', speculative_algorithm='EAGLE3', "
    "speculative_num_steps=4, speculative_eagle_topk=1, speculative_num_draft_tokens=24, attention_backend=None, "
    "tp_size=2, api_key='sk-secret')\n"
)
ADJUSTED = "speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when speculative_eagle_topk == 1\n"


def test_what_the_engine_settled_on_is_read_from_its_log() -> None:
    found = ADAPTER.resolved(ADJUSTED + LOG)
    assert (found["method"], found["k"], found["topk"], found["draft_tokens"]) == ("eagle3", 4, 1, 5)
    assert (found["tensor_parallel_size"], found["attention_backend"]) == (2, None)
    assert "sk-secret" not in json.dumps(found)
    assert ADAPTER.resolved(LOG)["draft_tokens"] == 24


def test_the_settings_page_outranks_the_log_and_leaks_nothing() -> None:
    page = {"speculative_num_draft_tokens": 24, "version": "0.5.18", "api_key": "sk-secret"}
    states = {"internal_states": [{"speculative_num_draft_tokens": 5, "attention_backend": "triton"}]}
    found = ADAPTER.resolved(LOG, json.dumps(page | states))
    assert (found["draft_tokens"], found["version"], found["attention_backend"]) == (5, "0.5.18", "triton")
    assert "sk-secret" not in json.dumps(found)


@pytest.mark.parametrize("page", ["", "[]", "{", '"x"', '{"internal_states": [3]}'])
def test_a_broken_settings_page_tells_nothing(page: str) -> None:
    assert ADAPTER.resolved("no such line", page) == {}


def test_a_baseline_settles_on_no_method() -> None:
    assert ADAPTER.resolved("server_args=ServerArgs(speculative_algorithm=None, tp_size=1)")["method"] == "none"


@pytest.mark.parametrize(
    ("line", "outcome", "signature"),
    [
        ("RuntimeError: Cannot find any model weights with `/m/draft`", Outcome.LOAD_CRASH, "weights-missing"),
        (
            "launch_server.py: error: ambiguous option: --cuda-graph-max-bs could match",
            Outcome.CONFIG_ERROR,
            "unknown-flag",
        ),
        (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            Outcome.OOM,
            "pool-memory",
        ),
    ],
)
def test_failures_are_named(line: str, outcome: Outcome, signature: str) -> None:
    log = f"Scheduler hit an exception: Traceback (most recent call last):\n  File x\n{line}\nReceived sigquit\n"
    failure = ADAPTER.classify(log, served=False, exit_=ServerExit(1))
    assert (failure.outcome, failure.signature) == (outcome, signature)
