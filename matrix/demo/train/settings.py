"""Sizes and schedules of a training, free of torch so that anything may read them."""

from dataclasses import dataclass

FILE = "<|file|>"
START = "<|start|>"
STOP = "<|stop|>"
SPECIAL = (FILE, START, STOP)
BOS_ID, START_ID, EOS_ID = range(3)

CHAT_TEMPLATE = (
    "{% for message in messages %}<|start|>{{ message['role'] }}\n{{ message['content'] }}<|stop|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)

K = 3
"""Steps that the EAGLE-3 head is unrolled in training, and the k that the demo serves it with."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Dimensions of a Llama; head_dim 64 is the smallest that vLLM's and SGLang's attention kernels all take."""

    layers: int = 8
    vocab: int = 1024
    hidden: int = 128
    intermediate: int = 352
    heads: int = 2
    head_dim: int = 64
    context: int = 1024
    eps: float = 1e-6
    theta: float = 10000.0

    @property
    def taps(self) -> tuple[int, int, int]:
        """Counts of layers after which EAGLE-3 reads the target: vLLM's and SGLang's default, (2, n/2, n-3)."""
        return 2, self.layers // 2, self.layers - 3


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and on how much each model trains; ``steps`` counts the target's optimizer steps."""

    steps: int = 2400
    batch: int = 64
    length: int = 1024
    rate: float = 3e-3
    continuations: int = 2048
    prompt: int = 96
    continued: int = 512
    trials: int = 256
    seed: int = 0


TOY_SHAPE = Shape(layers=8, vocab=320, hidden=32, intermediate=48, heads=2, head_dim=16, context=128)
TOY_SCHEDULE = Schedule(steps=4, batch=4, length=64, continuations=8, prompt=8, continued=32, trials=2)
