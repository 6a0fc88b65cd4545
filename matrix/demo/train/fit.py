"""The optimizer loop that all models share, and the batches it is fed."""

import math
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from matrix.demo.train.llama import Llama

Batches = Callable[[torch.Generator], Tensor]


def windows(stream: Tensor, rows: int, length: int) -> Batches:
    """Draws ``rows`` pieces of ``length`` tokens from anywhere in the stream."""

    def draw(generator: torch.Generator) -> Tensor:
        starts = torch.randint(len(stream) - length, (rows, 1), generator=generator)
        return stream[(starts + torch.arange(length)).to(stream.device)]

    return draw


def rows_of(table: Tensor, rows: int) -> Batches:
    """Draws whole rows of a table of equally long texts."""

    def draw(generator: torch.Generator) -> Tensor:
        return table[torch.randint(len(table), (rows,), generator=generator).to(table.device)]

    return draw


def both(first: Batches, second: Batches) -> Batches:
    """A batch that holds a batch of each."""
    return lambda generator: torch.cat((first(generator), second(generator)))


def next_token_loss(model: Llama, tokens: Tensor) -> Tensor:
    """Mean cross-entropy in nats of every token given those before it."""
    logits = model(tokens[:, :-1]).float()
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def mixed(device: torch.device) -> torch.autocast:
    """bfloat16 matrix products on a GPU; a CPU stays in float32, where results repeat bit for bit."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def fit(
    name: str, model: nn.Module, loss: Callable[[Tensor], Tensor], draw: Batches, steps: int, rate: float, seed: int
) -> float:
    """Trains in place with AdamW, warm-up and cosine decay; the last loss."""
    device = next(model.parameters()).device
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), rate, (0.9, 0.95), weight_decay=0.1, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _share(step, steps))
    began, value = time.monotonic(), torch.zeros(())
    for step in range(steps):
        with mixed(device):
            value = loss(draw(generator))
        optimizer.zero_grad(set_to_none=True)
        value.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % max(steps // 10, 1) == 0 or step == steps - 1:
            print(
                f"{name} step {step + 1}/{steps} loss {value.item():.4f} {time.monotonic() - began:.0f} s", flush=True
            )
    return value.item()


def _share(step: int, steps: int) -> float:
    warm = max(steps // 20, 1)
    if step < warm:
        return (step + 1) / warm
    return 0.02 + 0.98 * (1 + math.cos(math.pi * (step - warm) / max(steps - warm, 1))) / 2


@torch.no_grad()
def held_out_loss(model: Llama, stream: Tensor, length: int) -> float:
    """Cross-entropy in nats a token over the stream cut into pieces (at most 64 of them)."""
    length = min(length, len(stream) - 1)
    count = min(len(stream) // length, 64)
    pieces = stream[: count * length].view(count, length)
    return sum(next_token_loss(model, piece[None]).item() for piece in pieces) / count
