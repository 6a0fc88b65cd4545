"""Checkpoints on disk: bfloat16 safetensors, config.json and the list of hashes."""

import hashlib
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from matrix.demo.train.settings import BOS_ID, EOS_ID, Shape

HASHES = "SHA256SUMS"


def round_to_bfloat16(model: nn.Module) -> None:
    """Rounds the weights in place to what will be stored, so that what learns from them sees what is served."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.copy_(weight.to(torch.bfloat16))


def llama_config(shape: Shape) -> dict[str, Any]:
    """config.json of a Llama; the rotary base stands in both places that transformers releases look for it."""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "attention_bias": False,
        "bos_token_id": BOS_ID,
        "eos_token_id": EOS_ID,
        "pad_token_id": BOS_ID,
        "head_dim": shape.head_dim,
        "hidden_act": "silu",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": shape.context,
        "mlp_bias": False,
        "num_attention_heads": shape.heads,
        "num_hidden_layers": shape.layers,
        "num_key_value_heads": shape.heads,
        "rms_norm_eps": shape.eps,
        "rope_theta": shape.theta,
        "rope_parameters": {"rope_theta": shape.theta, "rope_type": "default"},
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "vocab_size": shape.vocab,
    }


def eagle_config(shape: Shape) -> dict[str, Any]:
    """config.json of an EAGLE-3 head for a target of this shape."""
    changed = {
        "architectures": ["LlamaForCausalLMEagle3"],
        "draft_vocab_size": shape.vocab,
        "num_hidden_layers": 1,
    }
    return llama_config(shape) | changed


def generation_config() -> dict[str, Any]:
    """generation_config.json: greedy, as everything here is measured."""
    return {"bos_token_id": BOS_ID, "eos_token_id": EOS_ID, "pad_token_id": BOS_ID, "do_sample": False}


def identity_map(shape: Shape) -> dict[str, Tensor]:
    """The vocabulary map of a head that has the target's whole vocabulary: no offsets, every token kept."""
    return {"d2t": torch.zeros(shape.vocab, dtype=torch.int64), "t2d": torch.ones(shape.vocab, dtype=torch.bool)}


def save_checkpoint(
    folder: Path, model: nn.Module, config: dict[str, Any], extra: dict[str, Tensor] | None = None
) -> None:
    """Writes model.safetensors and config.json into ``folder``, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    state = model.state_dict().items()
    tensors = {name: weight.detach().to("cpu", torch.bfloat16).contiguous() for name, weight in state}
    weights = folder / "model.safetensors"
    save_file(tensors | (extra or {}), str(weights), metadata={"format": "pt"})
    # safetensors makes it private; a server in a container reads it as another user.
    weights.chmod(0o644)
    write_json(folder / "config.json", config)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Writes one JSON object, indented."""
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_hashes(root: Path) -> None:
    """Lists every file under ``root`` in SHA256SUMS, in the form that ``sha256sum -c`` checks."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name != HASHES)
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(root).as_posix()}\n" for path in files
    ]
    (root / HASHES).write_text("".join(lines))
