"""What the engines' source tells of a model by its name, and the launch line that a user copies."""

import pytest

from matrix.core.cell import LaunchOptions
from matrix.core.spec import Method
from matrix.engines.families import architecture_of
from matrix.engines.logabout import models_of
from matrix.engines.spans import known_spans
from matrix.engines.userline import user_line
from tests.app.stored import cell


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2_5_VLForConditionalGeneration"),
        ("qwen3-vl-30b-a3b-instruct", "Qwen3VLMoeForConditionalGeneration"),
        ("Qwen/Qwen3-VL-2B-Instruct", "Qwen3VLForConditionalGeneration"),
        ("Qwen/Qwen3-30B-A3B", "Qwen3MoeForCausalLM"),
        ("Qwen/Qwen3-8B", "Qwen3ForCausalLM"),
        ("meta-llama/Llama-3.1-8B-Instruct", "LlamaForCausalLM"),
        ("my-qwen2.5-vl", ""),
        ("", ""),
    ],
)
def test_a_name_stands_for_a_class_or_for_none(name: str, found: str) -> None:
    assert architecture_of(name) == found


def test_the_release_that_loses_the_auxiliary_states_is_one_alone() -> None:
    spans = known_spans("sglang", "Qwen2.5-VL-7B-Instruct", Method.EAGLE3)
    assert [(s.versions, s.works, s.silent) for s in spans] == [
        ("<=0.5.1.post3", False, False),
        (">=0.5.2,<=0.5.5.post2", True, False),
        ("==0.5.5.post3", False, True),
        (">=0.5.6", True, False),
    ]
    assert all(s.link.startswith("https://github.com/sgl-project/sglang/pull/") for s in spans)


def test_releases_without_hooks_are_excluded() -> None:
    (sglang,) = known_spans("sglang", "Qwen3-VL-2B-Instruct", Method.EAGLE3)
    (vllm,) = known_spans("vllm", "Qwen3-VL-2B-Instruct", Method.EAGLE3)
    assert (sglang.versions, sglang.works) == ("<=0.5.10.post1", False)
    assert (vllm.versions, vllm.works) == ("<=0.11.2", False)


def test_a_method_that_no_release_has_is_excluded_everywhere() -> None:
    assert [s.versions for s in known_spans("sglang", "x", Method.MEDUSA)] == [">=0"]
    assert known_spans("sglang", "a model of no known class", Method.EAGLE3) == ()


def test_the_line_to_copy_has_the_users_flags_and_none_of_the_probes() -> None:
    launch = LaunchOptions(flags=("--tp-size", "2"), env=(("A", "b c"),), gpus=2)
    line = user_line(cell("0.5.6", launch=launch))
    assert line.startswith("A='b c' python -m sglang.launch_server --model-path Qwen2.5-VL-7B")
    assert "--speculative-algorithm EAGLE3" in line and "--tp-size 2" in line
    assert not any(flag in line for flag in ("radix", "metrics", "seed", "--port", "served"))
    vllm = user_line(cell("0.32.0", engine="vllm"))
    assert vllm.startswith("vllm serve Qwen2.5-VL-7B ") and "--speculative-config '{" in vllm
    assert not any(flag in vllm for flag in ("prefix", "per-request", "generation-config", "--port"))


def test_names_are_quoted_for_the_shell() -> None:
    assert "'x; rm -rf ~'" in user_line(cell("0.5.6", target="x; rm -rf ~"))


@pytest.mark.parametrize(
    ("log", "names"),
    [
        ("server_args=ServerArgs(model_path='org/m', speculative_draft_model_path='org/d')", ("org/m", "org/d")),
        ("server_args={'model_path': 'org/m', 'speculative_draft_model_path': 'org/d'}", ("org/m", "org/d")),
        ("engine (v0.32.0) with config: model='org/m', speculative_config=SpeculativeConfig(method='eagle3', model='org/d', num_spec_tokens=3)", ("org/m", "org/d")),
        ("nothing here", ("", "")),
    ],
)  # fmt: skip
def test_a_log_names_its_models(log: str, names: tuple[str, str]) -> None:
    assert models_of(log) == names
