"""A Llama whose parameters carry the names that checkpoints use, so that its state dict is the file."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from matrix.demo.train.settings import Shape

Rotation = tuple[Tensor, Tensor]


def rotation(shape: Shape, positions: Tensor) -> Rotation:
    """Cosines and sines [positions, head_dim] of rotary embedding (Su et al. 2021), halves rotated as in Llama."""
    exponents = torch.arange(0, shape.head_dim, 2, device=positions.device) / shape.head_dim
    angles = positions[:, None].float() * shape.theta**-exponents
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, turn: Rotation) -> Tensor:
    """``x`` [batch, heads, positions, head_dim] turned by its positions' angles."""
    left, right = x.chunk(2, dim=-1)
    return (x * turn[0] + torch.cat((-right, left), dim=-1) * turn[1]).to(x.dtype)


class Memory:
    """Keys and values of one layer's earlier positions, for generation."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.used = 0
        self.held: Tensor | None = None

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values so far, the given ones appended; each [batch, heads, positions, head_dim]."""
        if self.held is None:
            rows, heads, _, size = key.shape
            self.held = key.new_empty(2, rows, heads, self.length, size)
        end = self.used + key.shape[2]
        self.held[0, :, :, self.used : end] = key
        self.held[1, :, :, self.used : end] = value
        self.used = end
        return self.held[0, :, :, :end], self.held[1, :, :, :end]


class Attention(nn.Module):
    """Multi-head attention; an EAGLE-3 head's is fed ``width`` = 2 x hidden."""

    def __init__(self, shape: Shape, width: int) -> None:
        super().__init__()
        self.heads, inner = shape.heads, shape.heads * shape.head_dim
        self.q_proj = nn.Linear(width, inner, bias=False)
        self.k_proj = nn.Linear(width, inner, bias=False)
        self.v_proj = nn.Linear(width, inner, bias=False)
        self.o_proj = nn.Linear(inner, shape.hidden, bias=False)

    def project(self, x: Tensor, turn: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        """Rotated queries, rotated keys and values, each [batch, heads, positions, head_dim]."""
        q, k, v = (part(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self._inputs())
        return rotate(q, turn), rotate(k, turn), v

    def join(self, mixed: Tensor) -> Tensor:
        """The heads' results [batch, heads, positions, head_dim] back to [batch, positions, hidden]."""
        return self.o_proj(mixed.transpose(1, 2).flatten(2))

    def forward(self, x: Tensor, turn: Rotation, memory: Memory | None = None) -> Tensor:
        q, k, v = self.project(x, turn)
        if memory is not None:
            k, v = memory.extend(k, v)
        return self.join(F.scaled_dot_product_attention(q, k, v, is_causal=q.shape[2] > 1))

    def _inputs(self) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return self.q_proj, self.k_proj, self.v_proj


class Mlp(nn.Module):
    """Llama's gated feed-forward layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden, shape.intermediate, bias=False)
        self.up_proj = nn.Linear(shape.hidden, shape.intermediate, bias=False)
        self.down_proj = nn.Linear(shape.intermediate, shape.hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    """One decoder layer."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(shape.hidden, shape.eps)
        self.self_attn = Attention(shape, shape.hidden)
        self.post_attention_layernorm = nn.RMSNorm(shape.hidden, shape.eps)
        self.mlp = Mlp(shape)

    def forward(self, x: Tensor, turn: Rotation, memory: Memory | None) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), turn, memory)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """A causal language model."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = nn.ModuleDict(
            {
                "embed_tokens": nn.Embedding(shape.vocab, shape.hidden),
                "layers": nn.ModuleList(Block(shape) for _ in range(shape.layers)),
                "norm": nn.RMSNorm(shape.hidden, shape.eps),
            }
        )
        self.lm_head = nn.Linear(shape.hidden, shape.vocab, bias=False)
        self.apply(_start_small)

    def forward(self, tokens: Tensor, memory: list[Memory] | None = None) -> Tensor:
        """Logits [batch, positions, vocab] of the token after each."""
        return self.trace(tokens, (), memory)[0]

    def trace(
        self, tokens: Tensor, taps: tuple[int, ...], memory: list[Memory] | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Logits, and the hidden states [batch, positions, hidden] after each count of layers in ``taps``."""
        start = memory[0].used if memory else 0
        turn = rotation(self.shape, torch.arange(start, start + tokens.shape[1], device=tokens.device))
        x, tapped = self.model["embed_tokens"](tokens), []
        for number, block in enumerate(self.model["layers"]):
            x = block(x, turn, memory[number] if memory else None)
            if number + 1 in taps:
                tapped.append(x)
        return self.lm_head(self.model["norm"](x)), tapped


def _start_small(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.04)
