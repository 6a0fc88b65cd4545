"""Simulated boots of two revisions, made from the counters that sixteen prompts gave on one GPU.

Each of a comparison's prompts takes the accept length of a measured prompt. Its verify steps are those of a text of 128
tokens at that length: steps that accept 0 to 3 drafts, each position accepted with one probability, until 127 tokens
are there; their number is drawn from the renewal process's normal limit and rounded. The newer revision keeps a
prompt's text, or parts from it at a near-tie and draws another one of the same length. A boot's noise multiplies the
accept lengths of all its prompts by exp(sd x normal).
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matrix.core.counters import Counters
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.stats.judge import RunPoint

Floats = NDArray[np.float64]
MEASURED = Path(__file__).parent / "data" / "sglang-h200-boots.json"
TOKENS, K = 127, 3
NOISES = (0.0, 0.005, 0.01, 0.02)
_CHANCE = np.linspace(0, 1, 4001)
_LENGTH = 1 + _CHANCE + _CHANCE**2 + _CHANCE**3


@dataclass(frozen=True, slots=True)
class Kind:
    """What separates two boots without any change: `noise` is a boot's standard deviation, `parted` the share of
    prompts whose text is another one; `each_boot`: it is another one at every boot, not only at the other revision.
    """

    noise: float
    parted: float = 0.5
    each_boot: bool = False


@dataclass(frozen=True, slots=True)
class Pairs:
    """Verify steps of 128-token texts, (trials, boots, prompts), before and after."""

    before: Floats
    after: Floats


def measured_lengths() -> Floats:
    """Accept lengths of the sixteen prompts of one boot; the other nine boots gave the same."""
    boot = json.loads(MEASURED.read_text())["boots"][0]
    return np.array([1 + row["accepted"] / row["steps"] for row in boot["prompts"]])


def pairs(rng: np.random.Generator, trials: int, prompts: int, boots: int, drop: float, kind: Kind) -> Pairs:
    """`boots` boots of both sides, the accept length of the newer one lower by the share `drop` (1 is a collapse)."""
    length = rng.choice(measured_lengths(), (trials, 1, prompts))
    fallen = np.maximum(length * (1 - drop), 1.0)
    texts = boots if kind.each_boot else 1
    shape = (trials, texts, prompts)
    kept = _texts(rng, length)
    before = np.where(rng.random(shape) < kind.parted * kind.each_boot, _texts(rng, length, texts), kept)
    after = np.where(rng.random(shape) < kind.parted, _texts(rng, fallen, texts), kept * length / fallen)
    return Pairs(_boots(rng, before, boots, kind), _boots(rng, after, boots, kind))


def run(revision: str, boot: int, steps: Floats) -> RunPoint:
    """A run whose prompts took these verify steps."""
    rows = {
        f"p{i:02}": Counters(steps=int(s), proposed=K * int(s), accepted=TOKENS - int(s)) for i, s in enumerate(steps)
    }
    return RunPoint(f"{revision}/{boot}", revision, Outcome.OK, Method.EAGLE3, k=K, prompts=rows, boot=boot)


def _texts(rng: np.random.Generator, length: Floats, texts: int = 1) -> Floats:
    chance = np.interp(length, _LENGTH, _CHANCE)
    variance = chance + 3 * chance**2 + 5 * chance**3 - (length - 1) ** 2
    normal = rng.standard_normal((length.shape[0], texts, length.shape[2]))
    return np.clip(TOKENS / length + np.sqrt(TOKENS * variance / length**3) * normal, TOKENS / (K + 1), TOKENS)


def _boots(rng: np.random.Generator, steps: Floats, boots: int, kind: Kind) -> Floats:
    factor = np.exp(kind.noise * rng.standard_normal((steps.shape[0], boots, 1)))
    return np.clip(np.rint(steps / factor), np.ceil(TOKENS / (K + 1)), TOKENS)
