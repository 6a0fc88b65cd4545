"""What other thresholds would say of stored history; nothing is stored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from matrix.app.judging import judgements
from matrix.core.errors import ConfigError, Where
from matrix.core.state import Flip
from matrix.stats.judge import JudgeSettings, SeriesJudgement
from matrix.stats.settings import DEFAULTS
from matrix.store import Store


@dataclass(frozen=True, slots=True)
class Move:
    """A flip that would `come` or `go`, with the series it belongs to."""

    move: str
    series_key: str
    flip: Flip

    def as_json(self) -> dict[str, Any]:
        """Flat and stable: the flip's fields beside `move` and `series_key`."""
        return {"move": self.move, "series_key": self.series_key, **asdict(self.flip)}


def parse_settings(pairs: tuple[str, ...]) -> dict[str, float]:
    """`relevant=0.05` and the like as thresholds by name; ConfigError names those there are."""
    return dict(_pair(text) for text in pairs)


def what_if(store: Store, changed: Mapping[str, float]) -> list[Move]:
    """Flips of all series under the changed thresholds, against those under the ones in force."""
    now, then = judgements(store), judgements(store, lambda settings: _changed(settings, changed))
    return [move for key in now for move in _moves(key, now[key], then[key])]


def numeric() -> dict[str, float]:
    """Thresholds that can be tried, with the judge's own values."""
    values = {f.name: getattr(DEFAULTS, f.name) for f in fields(JudgeSettings)}
    return {n: v for n, v in values.items() if isinstance(v, int | float) and not isinstance(v, bool)}


def _changed(settings: JudgeSettings, changed: Mapping[str, float]) -> JudgeSettings:
    known = numeric()
    whole: dict[str, Any] = {
        name: int(value) if isinstance(known[name], int) else value for name, value in changed.items()
    }
    return replace(settings, **whole)


def _moves(key: str, now: SeriesJudgement, then: SeriesJudgement) -> list[Move]:
    before, after = ({_name(flip): flip for flip in judgement.flips} for judgement in (now, then))
    gone = [Move("go", key, flip) for name, flip in before.items() if name not in after]
    return gone + [Move("come", key, flip) for name, flip in after.items() if name not in before]


def _name(flip: Flip) -> tuple[str, ...]:
    return flip.metric, flip.change, flip.before_revision, flip.after_revision, flip.after


def _pair(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    known = numeric()
    where = Where(key="--what-if")
    if name not in known:
        hint = "thresholds: " + ", ".join(f"{n}={v:g}" for n, v in known.items())
        raise ConfigError(f"`{name}` is no threshold", hint=hint, where=where)
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise ConfigError(
            f"`{value}` is no number that {name} can be", hint=f"its own value: {known[name]:g}", where=where
        )
    return name, number
