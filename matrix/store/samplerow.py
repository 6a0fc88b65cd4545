"""Samples as rows of the table `samples`, and back."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row

from matrix.core.counters import Counters
from matrix.core.result import Alternatives, Divergence, Sample
from matrix.store.jsonio import clean_text, plain

Values = dict[str, Any]


def counters_to_row(counters: Counters) -> Values:
    """The counters' fields by column name; a number no database holds (an engine's garbage) is unknown."""
    row = {name: value if name == "per_position" else _storable(value) for name, value in asdict(counters).items()}
    return row | {"per_position": _listed(counters.per_position)}


def counters_from_row(row: Any) -> Counters:
    """The counters of a row of `runs` or `samples`."""
    positions = row.per_position
    return Counters(
        row.steps,
        row.proposed,
        row.accepted,
        None if positions is None else tuple(positions),
        row.decode_steps,
        row.completion_tokens,
        row.requests,
    )


def sample_to_row(run: int, ordinal: int, sample: Sample) -> Values:
    """One row; `run` is the run's row number, `ordinal` the sample's place in it."""
    divergence = sample.divergence
    return {
        "run": run,
        "ordinal": ordinal,
        "prompt_id": clean_text(sample.prompt_id),
        "kind": sample.kind,
        "repetition": sample.repetition,
        "concurrency": sample.concurrency,
        **counters_to_row(sample.counters),
        "cross_check": counters_to_row(sample.cross_check) if sample.cross_check else None,
        "seconds": sample.seconds,
        "text": clean_text(sample.text),
        "text_hash": sample.text_hash,
        "flags": list(sample.flags),
        "diverged_at": divergence.token_index if divergence else None,
        "gap": plain(divergence.gap) if divergence else None,
        "gap_at_least": divergence.at_least if divergence else None,
        "alternatives": _alternatives_to_json(sample.alternatives),
    }


def sample_from_row(row: Row[Any]) -> Sample:
    """The sample that was stored; the row must hold all columns."""
    return Sample(
        prompt_id=row.prompt_id,
        kind=row.kind,
        repetition=row.repetition,
        concurrency=row.concurrency,
        counters=counters_from_row(row),
        seconds=row.seconds,
        text=row.text,
        text_hash=row.text_hash,
        cross_check=_cross_check(row.cross_check),
        flags=tuple(row.flags),
        divergence=None if row.diverged_at is None else Divergence(row.diverged_at, row.gap, row.gap_at_least),
        alternatives=_alternatives_from_json(row.alternatives or ()),
    )


def _storable(value: int | None) -> int | None:
    return value if value is not None and abs(value) < 2**63 else None


def _listed(row: tuple[int, ...] | None) -> list[int] | None:
    return None if row is None else list(row)


def _cross_check(body: Values | None) -> Counters | None:
    if body is None:
        return None
    positions = body["per_position"]
    return Counters(**body | {"per_position": None if positions is None else tuple(positions)})


def _alternatives_to_json(alternatives: Sequence[Alternatives]) -> list[Any] | None:
    """Short lists instead of objects: a baseline run holds some hundred thousand of these numbers."""
    return [[a.token, a.logprob, [list(pair) for pair in a.top]] for a in alternatives] or None


def _alternatives_from_json(body: Sequence[Any]) -> tuple[Alternatives, ...]:
    return tuple(
        Alternatives(token, _logprob(value), tuple((other, _logprob(p)) for other, p in top))
        for token, value, top in body
    )


def _logprob(value: float | None) -> float:
    """JSON has no infinity: a token of probability zero was stored as null."""
    return float("-inf") if value is None else value
