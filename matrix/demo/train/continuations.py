"""Texts that the target writes itself: what its drafts will be asked to foresee."""

import torch
from torch import Tensor

from matrix.demo.train.fit import mixed
from matrix.demo.train.llama import Llama, Memory


@torch.no_grad()
def continuations(target: Llama, prompts: Tensor, length: int, temperature: float, seed: int) -> Tensor:
    """``prompts`` [rows, tokens] continued to ``length`` tokens; temperature 0 takes the likeliest token."""
    generator = torch.Generator(prompts.device).manual_seed(seed)
    memory = [Memory(length) for _ in range(target.shape.layers)]
    text, fresh = prompts, prompts
    while text.shape[1] < length:
        with mixed(prompts.device):
            logits = target(fresh, memory)[:, -1].float()
        fresh = _choose(logits, temperature, generator)
        text = torch.cat((text, fresh), dim=1)
    return text


def _choose(logits: Tensor, temperature: float, generator: torch.Generator) -> Tensor:
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    return (logits / temperature).softmax(-1).multinomial(1, generator=generator)
