"""SpecForge's benchmark results as reports.

Its file (`bench_eagle3.py`) maps each benchmark to a list of configs with their metrics, and `model` to the draft. Its
accept length is output tokens by verify steps, so it counts the bonus token; where a server told no verify steps it
writes 1.0, which is kept as unknown.
"""

import json
import math
from collections.abc import Iterator
from typing import Any, TypeGuard

from matrix.core.about import About
from matrix.core.errors import ConfigError, Where
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.state import State

COLLAPSED = 1.1
"""As the judge's own bound (`matrix.stats.settings`): below it a draft does nothing."""


def is_specforge(text: str) -> bool:
    """True for the text of such a file."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(body, dict) and any(True for _ in _entries(body))


def parse_specforge(text: str, file: str, about: About) -> list[Report]:
    """One report for each benchmark and config with a draft; configs without one are the baselines of speed-ups.

    ConfigError where the file holds no figures, or nobody says which model was served.
    """
    body = json.loads(text)
    entries = list(_entries(body))
    draft = about.draft or (body["model"] if isinstance(body.get("model"), str) else "")
    if not about.target:
        hint = "the file names the draft alone: add `--target MODEL`"
        raise ConfigError("it does not say which model was served", hint=hint, where=Where(file))
    plain = {(name, entry.get("batch_size")): speed for name, entry in entries if (speed := _baseline(entry))}
    found = [
        _report(name, entry, plain.get((name, entry.get("batch_size"))), draft, about)
        for name, entry in entries
        if entry.get("steps") != 0
    ]
    if not found:
        raise ConfigError("it holds baselines only", hint="run it with a draft as well", where=Where(file))
    return found


def _entries(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, configs in body.items():
        for entry in configs if isinstance(configs, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("metrics"), list):
                yield name, entry


def _baseline(entry: dict[str, Any]) -> float | None:
    return _mean(entry, "output_throughput") if entry.get("steps") == 0 else None


def _report(name: str, entry: dict[str, Any], plain: float | None, draft: str, about: About) -> Report:
    value, speed = _mean(entry, "accept_length"), _mean(entry, "output_throughput")
    silent = value == 1.0
    questions = entry.get("num_samples")
    size = f", {questions} questions" if _whole(questions) else ""
    return Report(
        target=about.target,
        engine=about.engine or "sglang",
        state=State.UNKNOWN if value is None or silent else state_of(value),
        link=about.link,
        date=about.date,
        draft=draft,
        method=about.method or "eagle3",
        versions=about.versions,
        hardware=about.hardware,
        value=None if silent else value,
        bonus=Bonus.YES,
        k=_positive(entry.get("steps")),
        topk=_positive(entry.get("topk")),
        draft_tokens=_positive(entry.get("num_draft_tokens")),
        workload=f"{name}{size}, batch size {entry.get('batch_size')}",
        tok_s=speed,
        speedup=speed / plain if speed and plain else None,
        text="SpecForge writes 1.0 where no verify step was told" if silent else "",
    )


def state_of(value: float) -> State:
    """What an accept length alone says: collapsed below the judge's bound, else nothing is held against it."""
    return State.COLLAPSED if value < COLLAPSED else State.HEALTHY


def _mean(entry: dict[str, Any], key: str) -> float | None:
    """Mean over the repetitions, weighted by their questions; None where one tells no such number."""
    rows = [(m.get(key), m.get("num_questions")) for m in entry["metrics"] if isinstance(m, dict)]
    values = [(v, n if _whole(n) else 1) for v, n in rows if _number(v)]
    if not values or len(values) != len(entry["metrics"]):
        return None
    return sum(v * n for v, n in values) / sum(n for _, n in values)


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9


def _positive(value: Any) -> int | None:
    return value if _whole(value) else None
