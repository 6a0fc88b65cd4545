"""What a model's name stands for, where the model's own config is not at hand. An inference, by the name."""

import re

from matrix.core.spec import Method

_FAMILIES = (
    (r"qwen2[._]5-vl", "Qwen2_5_VLForConditionalGeneration"),
    (r"qwen3-vl.*-a\d+b", "Qwen3VLMoeForConditionalGeneration"),
    (r"qwen3-vl", "Qwen3VLForConditionalGeneration"),
    (r"qwen3-next", "Qwen3NextForCausalLM"),
    (r"qwen3-.*-a\d+b", "Qwen3MoeForCausalLM"),
    (r"qwen3-\d", "Qwen3ForCausalLM"),
    (r"qwen2(\.5)?-\d", "Qwen2ForCausalLM"),
    (r"gpt-oss", "GptOssForCausalLM"),
    (r"llama-4", "Llama4ForConditionalGeneration"),
    (r"(meta-)?llama-3", "LlamaForCausalLM"),
    (r"deepseek-(v3|r1)(-\d+)?$", "DeepseekV3ForCausalLM"),
    (r"kimi-k2\.5", "KimiK25ForConditionalGeneration"),
    (r"minimax-m2", "MiniMaxM2ForCausalLM"),
)


def architecture_of(name: str) -> str:
    """The class of a model of this name or hub id; empty where the name tells none."""
    plain = name.rstrip("/").rpartition("/")[2].casefold()
    return next((found for pattern, found in _FAMILIES if re.match(pattern, plain)), "")


_DRAFTS = (
    (r"eagle[-_]?3", Method.EAGLE3),
    (r"eagle", Method.EAGLE),
    (r"medusa", Method.MEDUSA),
    (r"mtp|nextn", Method.MTP),
)


def method_of_draft(name: str) -> Method | None:
    """The method that a draft of this name, hub id or class (`LlamaForCausalLMEagle3`) is for; None where none says."""
    plain = name.rstrip("/").rpartition("/")[2].casefold()
    return next((method for pattern, method in _DRAFTS if re.search(pattern, plain)), None)
