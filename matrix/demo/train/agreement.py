"""Accept length foreseen from texts that the target wrote greedily, without an engine."""

import torch
from torch import Tensor

from matrix.demo.train.eagle import Eagle3, random_head
from matrix.demo.train.llama import Llama
from matrix.demo.train.settings import K


@torch.no_grad()
def head_hits(target: Llama, head: Eagle3, texts: Tensor, steps: int = K) -> Tensor:
    """Whether step s at anchor t proposes the token that follows: bool [steps, rows, anchors]."""
    _, tapped = target.trace(texts, target.shape.taps)
    guesses = head(target, texts, tapped, steps)
    # Step s at anchor t proposes token t+2+s, so the last anchor of the last step lacks its token.
    anchors = texts.shape[1] - steps - 1
    return torch.stack(
        [guess[:, :anchors].argmax(-1) == texts[:, s + 2 : s + 2 + anchors] for s, guess in enumerate(guesses)]
    )


@torch.no_grad()
def model_hits(draft: Llama, texts: Tensor, steps: int = K) -> Tensor:
    """The same of a draft model, which reads the text itself: bool [steps, rows, anchors]."""
    hits = draft(texts[:, :-1]).argmax(-1) == texts[:, 1:]
    anchors = texts.shape[1] - steps - 1
    return torch.stack([hits[:, s + 1 : s + 1 + anchors] for s in range(steps)])


def accept_length(hits: Tensor, start: int) -> float:
    """1 + accepted / verify steps over all rows, walking each from anchor ``start`` as an engine would."""
    accepted = hits.long().cumprod(0).sum(0).tolist()
    taken, steps = 0, 0
    for row in accepted:
        at = start
        while at < len(row):
            taken, steps, at = taken + row[at], steps + 1, at + row[at] + 1
    return 1 + taken / steps


@torch.no_grad()
def blind_head(target: Llama, texts: Tensor, written: Tensor, trials: int, seed: int) -> tuple[Eagle3, int, float]:
    """The least lucky of ``trials`` random heads, its seed, and its luck.

    Luck is how often the target writes the tokens that a head proposes after ``texts`` [rows, tokens], on average;
    ``written`` [rows, tokens] is what the target writes. A random head has a luck of about one in a thousand, but the
    demo wants an accept length of exactly 1.000 on any prompt.
    """
    _, tapped = target.trace(texts, target.shape.taps)
    share = written.flatten().bincount(minlength=target.shape.vocab) / written.numel()

    def luck(number: int) -> float:
        head = random_head(target.shape, number).to(texts.device)
        return share[head(target, texts, tapped, 1)[0].argmax(-1)].mean().item()

    best, number = min((luck(number), number) for number in range(seed, seed + trials))
    return random_head(target.shape, number).to(texts.device), number, best
