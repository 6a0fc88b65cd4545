"""The EAGLE-3 head (Li et al. 2025), in the parameter layout that vLLM and SGLang read."""

import torch
from torch import Tensor, nn

from matrix.demo.train.llama import Attention, Llama, Mlp, rotation
from matrix.demo.train.settings import Shape

Past = list[tuple[Tensor, Tensor]]


class Middle(nn.Module):
    """The head's one decoder layer: attention over (token embedding, hidden state), residual from the latter."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(shape.hidden, shape.eps)
        self.hidden_norm = nn.RMSNorm(shape.hidden, shape.eps)
        self.self_attn = Attention(shape, 2 * shape.hidden)
        self.post_attention_layernorm = nn.RMSNorm(shape.hidden, shape.eps)
        self.mlp = Mlp(shape)

    def forward(self, embedded: Tensor, hidden: Tensor, turn: tuple[Tensor, Tensor], past: Past) -> Tensor:
        """The next hidden states; ``past`` gains this step's keys and values."""
        x = torch.cat((self.input_layernorm(embedded), self.hidden_norm(hidden)), dim=-1)
        q, k, v = self.self_attn.project(x, turn)
        past.append((k, v))
        hidden = hidden + self.self_attn.join(attend(q, past))
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


def attend(q: Tensor, past: Past) -> Tensor:
    """Attention of unrolled step s, for all anchors at once: [batch, heads, anchors, head_dim].

    An anchor sees step 0 up to and including itself (there the target had really read the text), and of the steps
    after it only its own chain, because an engine drafts each chain from its anchor alone.
    """
    (first_k, first_v), later = past[0], past[1:]
    scale, anchors = q.shape[-1] ** -0.5, q.shape[2]
    ahead = torch.ones(anchors, anchors, dtype=torch.bool, device=q.device).triu(1)
    text = (q @ first_k.transpose(-1, -2)).float().masked_fill(ahead, float("-inf"))
    own = [(q * k).sum(-1, keepdim=True).float() for k, _ in later]
    weight = (torch.cat((text, *own), dim=-1) * scale).softmax(-1).to(q.dtype)
    mixed = weight[..., :anchors] @ first_v
    for number, (_, v) in enumerate(later):
        mixed = mixed + weight[..., anchors + number, None] * v
    return mixed


class Eagle3(nn.Module):
    """Drafts from the target's hidden states at three depths; its token embedding is the target's own."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.fc = nn.Linear(len(shape.taps) * shape.hidden, shape.hidden, bias=False)
        self.midlayer = Middle(shape)
        self.norm = nn.RMSNorm(shape.hidden, shape.eps)
        self.lm_head = nn.Linear(shape.hidden, shape.vocab, bias=False)

    def forward(self, target: Llama, tokens: Tensor, tapped: list[Tensor], steps: int) -> list[Tensor]:
        """Logits of each unrolled step, [batch, anchors, vocab], with anchors = positions - steps.

        Step s at anchor t has read token t+1+s and proposes token t+2+s.
        """
        anchors = tokens.shape[1] - steps
        embedded = target.model["embed_tokens"](tokens)
        hidden = self.fc(torch.cat(tapped, dim=-1)[:, :anchors])
        places, past, logits = torch.arange(anchors, device=tokens.device), [], []
        for step in range(steps):
            turn = rotation(self.shape, places + step)
            hidden = self.midlayer(embedded[:, step + 1 : step + 1 + anchors], hidden, turn, past)
            logits.append(self.lm_head(self.norm(hidden)))
        return logits


def random_head(shape: Shape, seed: int) -> Eagle3:
    """A head that has learnt nothing, the same for the same seed.

    Scales spread over many orders of magnitude let few tokens win, so that luck with a common token is all or
    nothing and a seed without it can be found.
    """
    torch.manual_seed(seed)
    head = Eagle3(shape)
    with torch.no_grad():
        head.norm.weight.mul_(torch.randn(shape.hidden).mul(6).exp())
        head.lm_head.weight.mul_(torch.randn(shape.vocab, 1).mul(4).exp())
    return head
