"""The byte-level BPE tokenizer, and text as one stream of token numbers."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from matrix.demo.train.settings import CHAT_TEMPLATE, FILE, SPECIAL, STOP, Shape


def train_tokenizer(texts: Sequence[str], vocab: int) -> Tokenizer:
    """A tokenizer of exactly ``vocab`` entries: the special tokens first, all 256 bytes, then merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() != vocab:
        raise ValueError(f"text too small for a vocabulary of {vocab}: only {tokenizer.get_vocab_size()} entries")
    return tokenizer


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> torch.Tensor:
    """All texts after one another as int64 [tokens]."""
    ids = [token for text in tokenizer.encode_batch(list(texts)) for token in text.ids]
    return torch.tensor(ids, dtype=torch.int64)


def save_tokenizer(tokenizer: Tokenizer, folder: Path, shape: Shape) -> None:
    """Writes the files that transformers, vLLM and SGLang read a tokenizer and its chat template from."""
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": FILE,
        "eos_token": STOP,
        "pad_token": FILE,
        "model_max_length": shape.context,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
