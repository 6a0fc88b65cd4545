"""Silent failures: what is odd about a run whose server answered every request, each in a sentence with its numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matrix.app.record import Record
from matrix.core.counters import Counters, accept_length, bounds, combine
from matrix.core.oddity import Oddity
from matrix.core.result import POOLED, Sample, Uptime
from matrix.core.spec import SpecConfig
from matrix.engines.logcheck import contradicts
from matrix.probes.sanity import GARBAGE, LOOPS
from matrix.stats.settings import DEFAULTS

Found = tuple[Oddity, str]

_K_TOLERANCE = 0.05
"""Share by which the drafts a step may differ from k: near the context's end fewer fit."""


def oddities(record: Record, pooled: Counters) -> list[Found]:
    """What is odd about a run with a draft that has an accept length; `pooled` are the counters of all its samples."""
    spec, prompts = record.cell.spec, [s for s in record.samples if s.prompt_id != POOLED and s.counters.requests]
    draftless = spec.method.counts_draftless_steps
    found = [*_acceptance(_k(spec, record.resolved, pooled), record.sure, pooled)]
    found += _texts(record.samples, prompts, draftless=draftless)
    found += [(Oddity.OTHER_SETTINGS, text) for text in settled_otherwise(spec, record.resolved)]
    if not any(flag is Oddity.OTHER_SETTINGS for flag, _ in found):
        found += _proposed(spec, pooled)
    return found + _log(record, pooled) + _drift(record.uptime)


def settled_otherwise(spec: SpecConfig, resolved: Mapping[str, Any]) -> list[str]:
    """Sizes that the engine settled on and that are not those asked for (24 draft tokens of a chain of 4 become 5)."""
    asked = {"k": spec.k, "topk": spec.topk, "draft_tokens": spec.draft_tokens}
    told = {name: resolved.get(name) for name in asked}
    return [
        f"the engine settled on {name} {told[name]} where {value} was asked for"
        for name, value in asked.items()
        if value is not None and isinstance(told[name], int) and told[name] != value
    ]


def _k(spec: SpecConfig, resolved: Mapping[str, Any], pooled: Counters) -> int | None:
    told = resolved.get("k")
    if isinstance(told, int) and told > 0:
        return told
    return spec.k or (len(pooled.per_position) if pooled.per_position else None)


def _acceptance(k: int | None, sure: int, pooled: Counters) -> Iterator[Found]:
    """What the steps accepted, less the tokens that are sure beside the bonus: those come whatever the draft."""
    if not pooled.steps or pooled.accepted is None:
        return
    drafted = pooled.accepted - (sure - 1) * pooled.steps
    if drafted == 0:
        yield Oddity.NEVER_ACCEPTED, f"none of {pooled.steps} verify steps accepted a draft"
    elif k and drafted == k * pooled.steps:
        yield (
            Oddity.ALWAYS_ACCEPTED,
            f"every draft was accepted, which makes exactly {k + sure} tokens a step: look at the texts",
        )
    elif k and drafted > k * pooled.steps:
        yield (
            Oddity.ABOVE_K,
            f"more drafts were accepted than k = {k} allows: the counters are not what they are called",
        )


def _texts(samples: Sequence[Sample], counted: Sequence[Sample], *, draftless: bool) -> Iterator[Found]:
    """Loops and garbage, where a quarter of the texts has them: a single one is told at its prompt."""
    texts = [s for s in samples if s.text]
    looped = [s for s in texts if LOOPS in s.flags]
    if looped and len(looped) >= DEFAULTS.loop_share * len(texts):
        how = _raised([s for s in counted if LOOPS in s.flags], [s for s in counted if LOOPS not in s.flags], draftless)
        yield Oddity.LOOPS, f"{len(looped)} of {len(texts)} texts repeat themselves where the baseline's do not{how}"
    odd = [s for s in samples if GARBAGE in s.flags]
    if odd and len(odd) >= DEFAULTS.loop_share * max(len(texts), len(odd)):
        yield Oddity.GARBAGE, f"{len(odd)} of {max(len(texts), len(odd))} texts are blank or unreadable"


def _raised(looped: Sequence[Sample], others: Sequence[Sample], draftless: bool) -> str:
    inside, outside = (accept_length(combine(s.counters for s in g), draftless=draftless) for g in (looped, others))
    if inside is None:
        return ""
    if outside is None:
        return f", which raises acceptance: {inside:.2f} is the accept length of loops"
    return f", which raises acceptance: {inside:.2f} in them, {outside:.2f} in the others" if inside > outside else ""


def _proposed(spec: SpecConfig, pooled: Counters) -> list[Found]:
    """What the counters say of k where neither log nor settings do. A tree proposes more than it can accept."""
    if not (spec.k and pooled.steps and pooled.proposed) or spec.topk not in (None, 1):
        return []
    mean = pooled.proposed / pooled.steps
    if spec.method.counts_draftless_steps or abs(mean - spec.k) <= _K_TOLERANCE * spec.k:
        return []
    return [(Oddity.OTHER_SETTINGS, f"{mean:.2f} drafts a step were proposed where k = {spec.k} was asked for")]


def _log(record: Record, pooled: Counters) -> list[Found]:
    """The log's steps all carry a draft, so they are held against the counters of drafts whatever the method."""
    k, said = _k(record.cell.spec, record.resolved, pooled), accept_length(record.logged)
    counted = accept_length(pooled)
    if not k or said is None or counted is None or not contradicts(record.logged, pooled, bounds(k, record.sure)[1]):
        return []
    steps = record.logged.steps
    return [(Oddity.LOG_DISAGREES, f"the engine's log tells {said:.2f} over {steps} steps, its counters {counted:.2f}")]


def _drift(uptime: Uptime | None) -> list[Found]:
    if uptime is None or not uptime.drift or uptime.change is None:
        return []
    way = "fell" if uptime.change < 0 else "rose"
    window = uptime.minutes / 10
    text = (
        f"the accept length {way} by {abs(uptime.change):.1%} while the server ran: the last {window:g} of "
        f"{uptime.minutes:g} minutes against the first"
    )
    return [(Oddity.DRIFT, text.replace("%", " %"))]
