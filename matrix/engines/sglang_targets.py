"""Targets that an EAGLE-3 head can draft for, by the first SGLang release whose model class has the hooks."""

from dataclasses import replace

from matrix.core.cell import Cell
from matrix.core.outcome import Outcome
from matrix.core.result import Failure
from matrix.engines.quirks import Quirk, proof, span
from matrix.engines.sglang_rows import NEWEST, sglang_row

_HOOK = "set_eagle3_layers_to_capture"
_NO_HOOKS = ("eagle3-hooks-missing", "eagle3-target-unsupported")


def _row(architecture: str, since: str, before: str, file: str, pull: int = 0) -> Quirk:
    """`before` is the newest release read that lacks the hooks."""
    path = f"models/{file}.py"
    witnesses = proof(path, _HOOK, f"{since} {NEWEST}", before)
    return sglang_row(architecture, since, None, "eagle3", f"the class has {_HOOK}", pull or path, witnesses)


TARGETS = (
    _row("Qwen3ForCausalLM", "0.4.10.post2", "0.4.8", "qwen3"),
    _row("Qwen3MoeForCausalLM", "0.4.10.post2", "0.4.8", "qwen3_moe"),
    _row("Llama4ForConditionalGeneration", "0.4.10.post2", "0.4.8", "mllama4"),
    _row("GptOssForCausalLM", "0.5.1", "0.4.10.post2", "gpt_oss"),
    _row("Qwen2ForCausalLM", "0.5.2", "0.5.1.post3", "qwen2"),
    _row("Qwen2MoeForCausalLM", "0.5.2", "0.5.1.post3", "qwen2_moe"),
    _row("Qwen2_5_VLForConditionalGeneration", "0.5.2", "0.5.1.post3", "qwen2_5_vl", 8801),
    _row("DeepseekV2ForCausalLM", "0.5.4.post2", "0.5.4.post1", "deepseek_v2"),
    _row("DeepseekV3ForCausalLM", "0.5.4.post2", "0.5.4.post1", "deepseek_v2"),
    _row("Glm4MoeForCausalLM", "0.5.5", "0.5.4.post3", "glm4_moe"),
    _row("MiniMaxM2ForCausalLM", "0.5.5.post2", "0.5.5", "minimax_m2"),
    _row("Qwen3NextForCausalLM", "0.5.9", "0.5.8.post1", "qwen3_next"),
    _row("KimiK25ForConditionalGeneration", "0.5.10", "0.5.9", "kimi_k25"),
    _row("Qwen3VLForConditionalGeneration", "0.5.11", "0.5.10.post1", "qwen3_vl", 22230),
    _row("Qwen3VLMoeForConditionalGeneration", "0.5.11", "0.5.10.post1", "qwen3_vl", 22230),
    _row("Gemma3ForCausalLM", "0.5.12", "0.5.11", "gemma3_causal"),
    _row("Gemma4ForCausalLM", "0.5.12", "0.5.11", "gemma4_causal"),
)
"""The topic is the architecture that the target's config names."""


def target_row(architecture: str) -> Quirk | None:
    """The row of an architecture, None where nothing is known of it."""
    return next((row for row in TARGETS if row.topic == architecture), None)


def judged_by_target(failure: Failure, cell: Cell | None) -> Failure:
    """A target without EAGLE-3 hooks is unsupported, unless this release should have them: then it is the crash it was.

    Before 0.5.23 the engine itself says no more than AttributeError.
    """
    if failure.signature not in _NO_HOOKS or cell is None:
        return failure
    row = target_row(cell.target.architecture) or _named(failure.reason)
    if row is not None and row.holds(cell.revision.version):
        return failure
    known = f"; SGLang has them {span(row)}" if row else ""
    return replace(
        failure,
        outcome=Outcome.UNSUPPORTED,
        reason=f"this release has no EAGLE-3 hooks in this target: {failure.reason}{known}",
        next_step="look up the first release that has them",
        signature="eagle3-target-unsupported",
    )


def _named(reason: str) -> Quirk | None:
    return next((row for row in TARGETS if row.topic in reason.replace("'", " ").split()), None)
