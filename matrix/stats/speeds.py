"""Speeds of one revision: usable rates, and what they pool to."""

from collections.abc import Mapping, Sequence

import numpy as np

from matrix.stats.noise import Array
from matrix.stats.point import RunPoint

_MOST = 1e15
"""Tokens from which a count is nonsense."""


def rates(tok_s: Mapping[str, float]) -> dict[str, float]:
    """Output tokens per second of the prompts that have a usable value."""
    return {prompt: rate for prompt, rate in tok_s.items() if 1e-6 < rate < 1e12}


def time_and_tokens(found: Mapping[str, float], point: RunPoint, prompts: Sequence[str]) -> tuple[Array, Array]:
    """(tokens, seconds) of each prompt; every prompt counts as one token where the tokens of any are not known."""
    told = [point.prompts[p].completion_tokens if p in point.prompts else None for p in prompts]
    tokens = np.array([float(t or 0) for t in told] if all(t and 0 < t < _MOST for t in told) else [1.0] * len(prompts))
    return tokens, tokens / np.array([found[p] for p in prompts])
