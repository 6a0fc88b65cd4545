"""Speculative methods of vLLM 0.8.5 to 0.33.0: which release has which, under what name, on which of its two engines.

Topics are our method names and vLLM's own ones that `extra` may name (`extra = { method = "dflash" }`).
"""

from matrix.engines.quirks import Quirk, proof
from matrix.engines.vllm_rows import vllm_row

_CONFIG = "vllm/config/speculative.py"
_ENDS = "0.8.5 0.32.0"


def _named(topic: str, since: str, before: str) -> Quirk:
    """A name of vLLM's own, spelled as the topic; `before` is the release before the first one with it."""
    witnesses = proof(_CONFIG, f'"{topic}"', f"{since} 0.32.0", before)
    return vllm_row(topic, since, None, topic, "a value of SpeculativeMethod", _CONFIG, witnesses)


def _mtp(since: str, before: str, *families: str) -> tuple[Quirk, ...]:
    return tuple(_named(f"{family}_mtp", since, before) for family in families)


METHODS = (
    vllm_row(
        "eagle",
        None,
        None,
        "eagle",
        "in every release",
        "vllm/config.py",
        proof("v1/spec_decode/eagle.py", "class EagleProposer", _ENDS),
    ),
    vllm_row(
        "eagle3",
        None,
        None,
        "eagle3",
        "in every release; in the list of names from 0.9.1 on",
        "vllm/config.py",
        proof("vllm/config.py", "eagle3", "0.8.5") + proof(_CONFIG, '"eagle3"', "0.32.0"),
    ),
    vllm_row(
        "mtp",
        "0.9.0",
        "0.10.2",
        "deepseek_mtp",
        "each family of MTP layers has a name; the engine corrects it from the target's config",
        "vllm/config.py",
        proof("vllm/config.py", '"draft_model", "deepseek_mtp"', "0.9.0.1", "0.8.5")
        + proof("vllm/config/__init__.py", '"deepseek_mtp"', "0.10.2"),
    ),
    vllm_row(
        "mtp",
        "0.11.0",
        None,
        "mtp",
        "one name for all families; the old ones warn",
        _CONFIG,
        proof(_CONFIG, '"mtp"', "0.11.0 0.32.0") + proof("vllm/config/__init__.py", '"mtp"', "", "0.10.2"),
    ),
    vllm_row(
        "draft_model",
        None,
        "0.9.2",
        "draft_model",
        "on the V0 engine alone",
        "vllm/config.py",
        proof("vllm/spec_decode/multi_step_worker.py", "class MultiStepWorker", "0.8.5 0.9.2", "0.10.0"),
    ),
    vllm_row(
        "draft_model",
        "0.10.0",
        "0.14.1",
        "",
        "the V0 engine's speculation is gone, and V1 raises NotImplementedError",
        "vllm/engine/arg_utils.py",
        proof("vllm/engine/arg_utils.py", "Speculative decoding with draft model is not supported yet", "0.10.0 0.10.2")
        + proof(_CONFIG, "Speculative decoding with draft model is not", "0.11.0 0.14.1", "0.15.0"),
    ),
    vllm_row(
        "draft_model",
        "0.15.0",
        None,
        "draft_model",
        "on the V1 engine",
        24322,
        proof("v1/spec_decode/draft_model.py", "class DraftModelProposer", "0.15.0 0.32.0", "0.14.1"),
    ),
    vllm_row(
        "ngram",
        None,
        None,
        "ngram",
        "in every release",
        "vllm/config.py",
        proof("v1/spec_decode/ngram_proposer.py", "class NgramProposer", _ENDS),
    ),
    vllm_row(
        "suffix",
        "0.11.1",
        None,
        "suffix",
        "needs arctic-inference beside it",
        _CONFIG,
        proof(_CONFIG, '"suffix"', "0.11.1 0.32.0", "0.11.0"),
    ),
    vllm_row(
        "medusa",
        None,
        "0.32.0",
        "medusa",
        "taken out in 0.33.0",
        "vllm/config.py",
        proof("vllm/config.py", '"medusa"', "0.8.5") + proof(_CONFIG, '"medusa"', "0.32.0"),
    ),
    vllm_row(
        "mlp_speculator",
        None,
        "0.9.2",
        "mlp_speculator",
        "on the V0 engine alone",
        "vllm/config.py",
        proof("vllm/spec_decode/mlp_speculator_worker.py", "class MLPSpeculatorWorker", "0.8.5 0.9.2", "0.10.0"),
    ),
    vllm_row(
        "deepseek_mtp",
        "0.9.0",
        None,
        "deepseek_mtp",
        "replaced by `mtp` from 0.11.0 on, with a warning",
        "vllm/config.py",
        proof("vllm/config.py", '"draft_model", "deepseek_mtp"', "0.9.0.1", "0.8.5")
        + proof(_CONFIG, '"deepseek_mtp"', "0.32.0"),
    ),
    *(
        vllm_row(
            f"{family}_mtp",
            "0.10.2",
            None,
            f"{family}_mtp",
            "replaced by `mtp` from 0.11.0 on, with a warning",
            "vllm/config/__init__.py",
            proof("vllm/config/__init__.py", f'"{family}_mtp"', "0.10.2") + proof(_CONFIG, f'"{family}_mtp"', "0.32.0"),
        )
        for family in ("ernie", "qwen3_next")
    ),
    *_mtp("0.11.0", "", "mimo", "longcat_flash"),
    _named("glm4_moe_mtp", "0.11.1", ""),
    *_mtp("0.11.1", "0.11.0", "pangu_ultra_moe"),
    _named("exaone_moe_mtp", "0.14.0", "0.13.0"),
    _named("glm4_moe_lite_mtp", "0.15.0", "0.14.1"),
    _named("step3p5_mtp", "0.15.1", "0.15.0"),
    _named("glm_ocr_mtp", "0.16.0", "0.15.1"),
    *_mtp("0.17.0", "0.16.0", "nemotron_h", "qwen3_5"),
    _named("ngram_gpu", "0.18.0", "0.17.1"),
    *_mtp("0.20.0", "0.19.1", "exaone4_5", "hy_v3"),
    _named("dflash", "0.20.0", "0.19.1"),
    *_mtp("0.21.0", "0.20.2", "gemma4", "mimo_v2"),
    _named("custom_class", "0.22.0", "0.21.0"),
    _named("minimax_m3_mtp", "0.24.0", "0.23.0"),
    _named("dspark", "0.25.0", "0.24.0"),
    *_mtp("0.25.0", "0.24.0", "bailing_hybrid"),
    _named("glm5_next_mtp", "0.30.0", "0.29.0"),
)
"""`what` is the value of `method` in the speculative config; the boundaries are those of the wheels."""

ENGINES = (
    vllm_row(
        "eagle",
        None,
        "0.8.5.post2",
        "V1",
        "V1 only where VLLM_USE_V1=1 asks for it, else V0 without a word",
        "vllm/engine/arg_utils.py",
        proof("vllm/engine/arg_utils.py", '_warn_or_fallback("Eagle")', "0.8.5", "0.9.0.1"),
    ),
    vllm_row(
        "ngram",
        None,
        "0.8.5.post2",
        "V1",
        "V1 only where VLLM_USE_V1=1 asks for it, else V0 without a word",
        "vllm/engine/arg_utils.py",
        proof("vllm/engine/arg_utils.py", '_warn_or_fallback("ngram")', "0.8.5", "0.9.0.1"),
    ),
    vllm_row(
        "medusa",
        None,
        "0.8.5.post2",
        "V0",
        "V1 has it from 0.9.0 on",
        "vllm/engine/arg_utils.py",
        proof("v1/spec_decode/medusa.py", "class MedusaProposer", "0.9.0.1", "0.8.5"),
    ),
    *(
        vllm_row(
            method,
            None,
            "0.9.2",
            "V0",
            "not among the methods that V1 accepts",
            "vllm/engine/arg_utils.py",
            proof("vllm/spec_decode/spec_decode_worker.py", "def create_spec_worker", "0.8.5 0.9.2", "0.10.0"),
        )
        for method in ("draft_model", "mlp_speculator")
    ),
)
"""Methods for which a release with two engines does not take V1 by itself."""
