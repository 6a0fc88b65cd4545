"""The committed demo models: whole, small, of the stated shapes and types."""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import matrix.demo

MODELS = Path(matrix.demo.__file__).parent / "models"
NAMES = ("target", "draft", "eagle3", "eagle3-mapped", "eagle3-random")
HEADS = NAMES[2:]


class Stored(NamedTuple):
    """One tensor as the file's header describes it, and its bytes."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


def tensors(name: str) -> dict[str, Stored]:
    """Read safetensors by hand: the format is a length, a JSON header and the bytes it points into."""
    raw = (MODELS / name / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header, body = json.loads(raw[8 : 8 + size]), raw[8 + size :]
    header.pop("__metadata__", None)
    return {
        key: Stored(told["dtype"], tuple(told["shape"]), body[slice(*told["data_offsets"])])
        for key, told in header.items()
    }


def config(name: str) -> dict[str, Any]:
    """The model's config.json."""
    read: dict[str, Any] = json.loads((MODELS / name / "config.json").read_text())
    return read


def layer_shapes(told: dict[str, Any], prefix: str, width: int) -> dict[str, tuple[int, ...]]:
    """Shapes of one decoder layer whose attention reads `width` numbers a position."""
    hidden, inner = told["hidden_size"], told["num_attention_heads"] * told["head_dim"]
    pairs, wide = told["num_key_value_heads"] * told["head_dim"], told["intermediate_size"]
    shapes = {
        "input_layernorm": (hidden,),
        "post_attention_layernorm": (hidden,),
        "self_attn.q_proj": (inner, width),
        "self_attn.k_proj": (pairs, width),
        "self_attn.v_proj": (pairs, width),
        "self_attn.o_proj": (hidden, inner),
        "mlp.gate_proj": (wide, hidden),
        "mlp.up_proj": (wide, hidden),
        "mlp.down_proj": (hidden, wide),
    }
    return {f"{prefix}.{key}.weight": shape for key, shape in shapes.items()}


def llama_shapes(told: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every tensor that a Llama of this config has."""
    hidden, vocab = told["hidden_size"], told["vocab_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (vocab, hidden),
        "model.norm.weight": (hidden,),
        "lm_head.weight": (vocab, hidden),
    }
    for number in range(told["num_hidden_layers"]):
        shapes |= layer_shapes(told, f"model.layers.{number}", hidden)
    return shapes


def eagle_shapes(told: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Every tensor of an EAGLE-3 head: it reads three hidden states, and embedding and hidden state side by side."""
    hidden = told["hidden_size"]
    own: dict[str, tuple[int, ...]] = {
        "fc.weight": (hidden, 3 * hidden),
        "midlayer.hidden_norm.weight": (hidden,),
        "norm.weight": (hidden,),
        "lm_head.weight": (told["draft_vocab_size"], hidden),
    }
    return own | layer_shapes(told, "midlayer", 2 * hidden)


def test_every_file_has_its_recorded_hash() -> None:
    lines = (MODELS / "SHA256SUMS").read_text().splitlines()
    recorded = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    files = [path for path in MODELS.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    assert recorded == {
        path.relative_to(MODELS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def test_all_together_stay_under_eight_megabytes() -> None:
    assert sum(path.stat().st_size for path in MODELS.rglob("*") if path.is_file()) < 8_000_000


@pytest.mark.parametrize("name", ["target", "draft"])
def test_language_models_hold_what_their_config_says(name: str) -> None:
    found = tensors(name)
    assert {key: tensor.shape for key, tensor in found.items()} == llama_shapes(config(name))
    assert {tensor.dtype for tensor in found.values()} == {"BF16"}


@pytest.mark.parametrize("name", HEADS)
def test_heads_hold_what_their_config_says(name: str) -> None:
    found = {key: tensor for key, tensor in tensors(name).items() if key not in {"d2t", "t2d"}}
    assert {key: tensor.shape for key, tensor in found.items()} == eagle_shapes(config(name))
    assert {tensor.dtype for tensor in found.values()} == {"BF16"}


def test_drafts_share_the_targets_vocabulary_and_width() -> None:
    target = config("target")
    assert {config(name)["vocab_size"] for name in NAMES} == {target["vocab_size"]}
    assert {config(name)["draft_vocab_size"] for name in HEADS} == {target["vocab_size"]}
    assert {config(name)["hidden_size"] for name in HEADS} == {target["hidden_size"]}
    assert (MODELS / "draft/tokenizer.json").read_bytes() == (MODELS / "target/tokenizer.json").read_bytes()
    assert len(json.loads((MODELS / "target/tokenizer.json").read_text())["model"]["vocab"]) == target["vocab_size"]


def test_the_mapped_head_is_the_plain_head_with_an_identity_map() -> None:
    plain, mapped = tensors("eagle3"), tensors("eagle3-mapped")
    size = config("eagle3-mapped")["vocab_size"]
    offsets, kept = mapped.pop("d2t"), mapped.pop("t2d")
    assert mapped == plain
    assert offsets == Stored("I64", (size,), bytes(8 * size))
    assert kept == Stored("BOOL", (size,), b"\x01" * size)


def test_the_random_head_shares_no_matrix_with_the_trained_one() -> None:
    plain, blind = tensors("eagle3"), tensors("eagle3-random")
    matrices = [key for key, tensor in plain.items() if len(tensor.shape) == 2]
    assert matrices
    assert not [key for key in matrices if plain[key] == blind[key]]


def test_the_random_head_proposes_only_what_the_target_hardly_ever_writes() -> None:
    assert json.loads((MODELS / "training.json").read_text())["eagle3_random_luck"] < 1e-5
