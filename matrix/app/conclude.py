"""The outcome of a run whose server answered to the end, in one sentence."""

from matrix.app.oddities import oddities
from matrix.app.record import Record
from matrix.core.counters import Counters, accept_length, combine
from matrix.core.oddity import Oddity
from matrix.core.outcome import Outcome
from matrix.core.result import POOLED, Divergence, Failure, RunResult, Sample
from matrix.engines.registry import doubt
from matrix.probes.flags import TAINTED
from matrix.probes.output import LEAST_GAP, needed, wrong_prompts
from matrix.stats.words import count


def conclude(record: Record) -> RunResult:
    """`ok`, or the silent failures: nothing measured, output that rounding does not explain, counters not ours."""
    spec = record.cell.spec
    tainted = [s for s in record.samples if TAINTED & set(s.flags) and _scraped(s)]
    pooled = combine(s.counters for s in record.samples)
    length = accept_length(pooled, draftless=spec.method.counts_draftless_steps)
    if not spec.is_baseline and tainted:
        return _failed(record, Outcome.INFRA, *_tainted(tainted))
    if not spec.is_baseline and (length is None or not pooled.steps):
        return _nothing(record, pooled)
    odd = [] if spec.is_baseline else oddities(record, pooled)
    record.flags = list(dict.fromkeys(flag for flag, _ in odd))
    said = [text for _, text in odd]
    wrong = _wrong(record)
    if wrong:
        record.flags.append(Oddity.DIVERGES)
        reason = "; ".join([_wrong_reason(record, wrong), *said])
        return _failed(record, Outcome.WRONG_OUTPUT, reason, "compare the texts on the run's page")
    revision = record.cell.revision
    doubts = [text for text in (doubt(revision.engine, revision.version),) if text]
    return record.result(Outcome.OK, "; ".join([_ok(record, pooled, length), *said, *doubts]))


def _failed(record: Record, outcome: Outcome, reason: str, next_step: str) -> RunResult:
    return record.result(outcome, reason, Failure(outcome, reason, next_step, str(outcome)))


def _scraped(sample: Sample) -> bool:
    """True when the value comes from the scrapes around the request, not from the response's own counters."""
    own, scraped = sample.counters, sample.cross_check
    return scraped is None or (own.steps, own.accepted) == (scraped.steps, scraped.accepted)


def _tainted(samples: list[Sample]) -> tuple[str, str]:
    flags = sorted({flag for s in samples for flag in s.flags if flag in TAINTED})
    reason = f"counters of {len(samples)} prompts were not of their own request alone ({', '.join(flags)})"
    return reason, "leave the server alone while it is probed and run the cell again"


def _nothing(record: Record, pooled: Counters) -> RunResult:
    """Zero verify steps, or the engine's own word, is speculation switched off; no counter at all leaves that open."""
    off = pooled.steps == 0 or record.resolved.get("method") == "none"
    record.flags = [Oddity.SPECULATION_OFF if off else Oddity.NO_COUNTERS]
    return _failed(record, Outcome.MEASURED_NOTHING, *_nothing_said(record, pooled))


def _nothing_said(record: Record, pooled: Counters) -> tuple[str, str]:
    look = "look in the log for what switched it off"
    if pooled.steps == 0:
        return (
            "speculation is configured, but no draft was ever verified: the counters stayed at zero",
            look,
        )
    if record.resolved.get("method") == "none":
        return "speculation is configured, but the engine runs without it and has no draft counters", look
    return "speculation is configured, but the server exposes no draft counters", "see whether the release has /metrics"


def _divergences(samples: list[Sample]) -> dict[str, Divergence | None]:
    return {s.prompt_id: s.divergence for s in samples if s.repetition == 0 and s.prompt_id != POOLED}


def _wrong(record: Record) -> list[str]:
    """Prompts with wrong output, if they are more than chance explains."""
    if record.cell.spec.is_baseline or not record.noise:
        return []
    divergences = _divergences(record.samples)
    wrong = wrong_prompts(divergences, [record.noise["limit"]])
    return wrong if len(wrong) >= needed(len(divergences)) else []


def _wrong_reason(record: Record, wrong: list[str]) -> str:
    gaps = [s.divergence.gap for s in record.samples if s.prompt_id in wrong and s.divergence and s.divergence.gap]
    compared = len(_divergences(record.samples))
    return (
        f"{len(wrong)} of {compared} greedy texts leave the baseline's by up to {max(gaps):.2f} nats, "
        f"more than rounding explains ({max(record.noise['limit'], LEAST_GAP):.2f} nats)"
    )


def _seconds(samples: list[Sample]) -> float:
    """Wall time of the requests; where several were in flight, that of their windows."""
    windows = [s for s in samples if s.prompt_id == POOLED]
    return sum(s.seconds for s in windows or samples)


def _ok(record: Record, pooled: Counters, length: float | None) -> str:
    seconds = _seconds(record.samples)
    tokens = pooled.completion_tokens
    speed = f", {tokens / seconds:.1f} tokens/s" if tokens and seconds else ""
    if record.cell.spec.is_baseline:
        return f"baseline served {count(record.prompts, 'prompt')}{speed}"
    assert length is not None and pooled.steps is not None  # noqa: S101 - `conclude` has made sure
    draftless = record.cell.spec.method.counts_draftless_steps
    steps = pooled.decode_steps if draftless else pooled.steps
    over = f"{count(record.prompts, 'prompt')} and {count(steps or 0, 'step')}"
    return f"accept length {length:.3f} over {over}{speed}"
