"""Teaching the EAGLE-3 head: training-time test, that is, the head is trained on its own earlier outputs."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from matrix.demo.train.eagle import Eagle3
from matrix.demo.train.llama import Llama
from matrix.demo.train.settings import K

STEP_WEIGHT = 0.8
"""Weight of each unrolled step relative to the one before, as in the EAGLE-3 paper's released trainer."""


def head_from(target: Llama) -> Eagle3:
    """A fresh head whose output layer starts as the target's."""
    head = Eagle3(target.shape).to(target.lm_head.weight.device)
    head.lm_head.load_state_dict(target.lm_head.state_dict())
    head.norm.load_state_dict(target.model["norm"].state_dict())
    return head


def distillation(target: Llama, head: Eagle3) -> Callable[[Tensor], Tensor]:
    """The loss of a batch [rows, tokens]: cross-entropy to the target's whole distribution, over all steps."""

    def loss(tokens: Tensor) -> Tensor:
        with torch.no_grad():
            logits, tapped = target.trace(tokens, target.shape.taps)
            wanted = logits.float().softmax(-1)
        total = torch.zeros((), device=tokens.device)
        for step, guess in enumerate(head(target, tokens, tapped, K)):
            aim = wanted[:, step + 1 : step + 1 + guess.shape[1]]
            total = total - STEP_WEIGHT**step * (aim * F.log_softmax(guess.float(), -1)).sum(-1).mean()
        return total

    return loss
