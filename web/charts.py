"""From read models to plots. Drawing costs tens of milliseconds, so equal inputs are drawn once."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from markupsafe import Markup

from matrix.app.bisect.views import AnswerView
from matrix.core.state import Metric, State
from matrix.plots import FEW, Positions, Trend, TrendPoint, Values, drawable, positions_svg, trend_svg, values_svg
from matrix.store.views import ResultRow, SeriesPoint, SeriesView
from web import words


def accept_chart(series: SeriesView, *, one: bool = False) -> Markup | None:
    """Accept length with its 95 % interval; None when nothing was measured.

    `one` draws none beside it for telephones.
    """
    points = tuple(
        TrendPoint(p.revision, p.accept_length, p.low, p.high, state_of(p, Metric.ACCEPT_LENGTH)) for p in series.points
    )
    trend = Trend(
        name="accept",
        title=f"Accept length of {words.visible(series.title)}",
        description=_spoken(points, 2, ""),
        role="accept",
        points=points,
        floor=1.0,
        ceiling=None if series.k is None else series.k + 1.0,
    )
    return _sized(trend, one) if drawable(points) else None


def speed_chart(series: SeriesView, *, one: bool = False) -> Markup | None:
    """Tokens per second with its noise, and the baseline of the same revision beside it; None when not measured."""
    told = judged(series, Metric.SPEED)
    points = tuple(
        TrendPoint(
            revision=p.revision,
            value=p.output_tok_s,
            low=p.tok_s_low,
            high=p.tok_s_high,
            state=state_of(p, Metric.SPEED) if told else None,
            reference=p.baseline_tok_s,
        )
        for p in series.points
    )
    trend = Trend(
        name="speed",
        title=f"Output tokens per second of {words.visible(series.title)}",
        description=_spoken(points, 1, " tokens per second"),
        role="speed",
        points=points,
    )
    return _sized(trend, one) if drawable(points) else None


def positions_chart(row: ResultRow) -> Markup | None:
    """Acceptance by draft position; None when the engine did not tell."""
    if not row.per_position:
        return None
    rates = tuple(math.nan if rate is None else rate for rate in row.per_position)
    spoken = ", ".join(f"position {i + 1}: {words.percent(r)}" for i, r in enumerate(rates))
    return _positions(Positions("positions", "Share of verify steps that accepted each draft position", spoken, rates))


def answers_chart(answers: Sequence[AnswerView], unit: str) -> Markup | None:
    """Values of the runs behind the answers, those called good apart from those called bad; None without any."""
    seen = {said: tuple(a.value for a in answers if a.said == said and a.value is not None) for said in ("good", "bad")}
    if not any(seen.values()):
        return None
    spoken = "; ".join(
        f"{said}: {', '.join(words.number(v) for v in values) or 'none measured'}" for said, values in seen.items()
    )
    title = f"Values seen in good and in bad runs: {unit}"
    return _values(Values("values", title, spoken, unit, seen["good"], seen["bad"]))


def state_of(point: SeriesPoint, metric: Metric) -> str:
    """The state of one metric at a revision, unknown where nothing was said of it."""
    return next((v.state for v in point.verdicts if v.metric == metric), State.UNKNOWN.value)


def judged(series: SeriesView, metric: Metric) -> bool:
    """True when any revision has a known state: a row of question marks tells less than one sentence."""
    known = {state.value for state in State if state.known}
    return any(state_of(point, metric) in known for point in series.points)


def _spoken(points: tuple[TrendPoint, ...], digits: int, unit: str) -> str:
    parts = []
    for point in points:
        value = words.number(point.value, digits)
        parts.append(
            f"{point.revision}: {value}{unit if value != words.NOT_MEASURED else ''} ({point.state or 'not judged'})"
        )
    return "; ".join(parts)


def _sized(trend: Trend, one: bool) -> Markup:
    """The plot; where its revisions fit on a telephone once more for that, the style sheet shows one of the two."""
    if one or len(trend.points) > FEW:
        return _trend(trend)
    return broad_and_narrow(_trend(trend), _trend(replace(trend, name=f"{trend.name}-narrow", narrow=True)))


def broad_and_narrow(broad: Markup, narrow: Markup) -> Markup:
    """Both drawings of a plot, of which the style sheet shows the one that fits the window."""
    return Markup('<div class="broad">{}</div><div class="narrow">{}</div>').format(broad, narrow)


@lru_cache(maxsize=512)
def _trend(trend: Trend) -> Markup:
    return Markup(trend_svg(trend))  # noqa: S704 (an XML writer escaped every text)


@lru_cache(maxsize=512)
def _positions(positions: Positions) -> Markup:
    return Markup(positions_svg(positions))  # noqa: S704 (as above)


@lru_cache(maxsize=512)
def _values(values: Values) -> Markup:
    return Markup(values_svg(values))  # noqa: S704 (as above)
