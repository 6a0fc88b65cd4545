"""What vLLM settled on, read from the log of each era."""

import pytest

from matrix.engines.registry import adapter_for

ADAPTER = adapter_for("vllm")

CONFIG = (
    "(EngineCore pid=7) INFO 01-02 03:04:05 [core.py:1] Initializing a V1 LLM engine (v0.99.1) with config: model='/t', "
    "speculative_config=SpeculativeConfig(method='eagle3', model='/d', num_spec_tokens=4), dtype=torch.bfloat16, "
    "max_seq_len=512, tensor_parallel_size=1, enforce_eager=True, enable_prefix_caching=False, seed=0\n"
)


def test_what_the_engine_settled_on_is_read_from_its_log() -> None:
    resolved = ADAPTER.resolved(CONFIG)
    assert (resolved["version"], resolved["engine"]) == ("0.99.1", "V1")
    assert (resolved["method"], resolved["k"]) == ("eagle3", 4)
    assert (resolved["dtype"], resolved["prefix_caching"], resolved["max_model_len"]) == ("bfloat16", "False", "512")
    assert ADAPTER.resolved("nothing here") == {}


def test_the_old_engine_and_a_method_without_a_model_are_read_too() -> None:
    old = CONFIG.replace("a V1 LLM", "a V0 LLM").replace("method='eagle3', model='/d'", "method='ngram', model=None")
    resolved = ADAPTER.resolved(old)
    assert (resolved["engine"], resolved["method"], resolved["k"]) == ("V0", "ngram", 4)
    without = ADAPTER.resolved("Initializing a V1 LLM engine (v0.8.5) with config: speculative_config=None, seed=1\n")
    assert (without["method"], without["k"]) == ("none", None)


@pytest.mark.parametrize(
    ("line", "name", "told"),
    [
        ("Using Flash Attention backend on V1 engine.", "attention_backend", "Flash Attention"),
        ("Using Torch SDPA backend.", "attention_backend", "Torch SDPA"),
        ("Using AttentionBackendEnum.FLASHINFER backend.", "attention_backend", "FLASHINFER"),
        (
            "Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN']",
            "attention_backend",
            "FLASH_ATTN",
        ),
        ("Model Runner V2 requires Triton; using the V1 model runner instead.", "model_runner", "V1"),
        ("Using V2 Model Runner", "model_runner", "V2"),
        ("Asynchronous scheduling is enabled.", "async_scheduling", True),
        ("Asynchronous scheduling is disabled.", "async_scheduling", False),
    ],
)
def test_backend_runner_and_scheduling_are_read_in_every_spelling(line: str, name: str, told: object) -> None:
    assert ADAPTER.resolved(f"INFO 01-02 03:04:05 [x.py:1] {line}\n")[name] == told


@pytest.mark.parametrize(
    "line", ["Using Transformers backend.", "Using 'TRITON' Mxfp4 MoE backend.", "Using Marlin backend"]
)
def test_other_backends_are_not_taken_for_attention(line: str) -> None:
    assert "attention_backend" not in ADAPTER.resolved(line + "\n")
