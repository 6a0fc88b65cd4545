"""Plots of one draft: its accept length by settings, and its speed-up against its accept length."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from markupsafe import Markup

from matrix.app.draft import DraftView
from matrix.core.spec import Method
from matrix.plots import Both, Setting, Settings, Speedups, settings_svg, speedup_svg
from matrix.store import Filters
from matrix.store.views import Heatmap, SeriesRow, Square
from web import words
from web.charts import broad_and_narrow
from web.reader import Reader

_MOST = 60
"""Runs that are read for the settings of one group."""
Newest = tuple[Heatmap, SeriesRow, Square]


def speedup_chart(draft: DraftView, *, one: bool = True) -> Markup | None:
    """Each series at its newest revision with both figures; None where there is none.

    Unless `one`, a second drawing fits a telephone.
    """
    points = tuple(
        Both(row.spec or row.method, heatmap.engine, square.accept_length, square.speedup)
        for heatmap, row, square in _newest(draft)
        if square.accept_length is not None and square.speedup is not None
    )
    told = (f"{p.group} {p.label}: accept length {p.accept_length:.2f}, {p.speedup:.2f} times" for p in points)
    title = f"Speed-up against accept length of {words.visible(draft.name)}"
    drawn = Speedups("speedup", title, "; ".join(told), points)
    if one or not points:
        return _speedup(drawn) if points else None
    return broad_and_narrow(_speedup(drawn), _speedup(replace(drawn, name="speedup-narrow", narrow=True)))


def settings_chart(draft: DraftView, store: Reader, engine: str = "", target: str = "") -> Markup | None:
    """Accept length by steps, top-k and draft tokens, of the engine and target with most settings; None below two.

    `engine` and `target` keep to those.
    """
    groups: dict[tuple[str, str, str], list[Square]] = {}
    for heatmap, row, square in _newest(draft):
        if square.accept_length is not None and engine in ("", heatmap.engine) and target in ("", row.target):
            groups.setdefault((heatmap.engine, row.target, row.workload), []).append(square)
    if not groups:
        return None
    about, squares = max(groups.items(), key=lambda group: len(group[1]))
    found = tuple(_settings(squares[:_MOST], store))
    if len({(s.steps, s.topk, s.draft_tokens) for s in found}) < 2:
        return None
    told = (
        f"{s.steps} steps, top-k {_said(s.topk)}, {_said(s.draft_tokens)} draft tokens: {s.value:.2f}" for s in found
    )
    title = f"Accept length of {words.visible(draft.name)} by settings: {words.visible(', '.join(about))}"
    return _drawn(Settings("settings", title, "; ".join(told), found))


def _newest(draft: DraftView) -> Iterator[Newest]:
    """The newest square of each series that was run, without baselines."""
    for heatmap in draft.heatmaps:
        for row in heatmap.rows:
            run = [square for square in row.squares if square is not None and square.run_id]
            if run and row.method != Method.NONE.value:
                yield heatmap, row, run[-1]


def _settings(squares: list[Square], store: Reader) -> Iterator[Setting]:
    for square in squares:
        run = next(store.results(Filters(run_id=square.run_id)), None)
        if run is not None and square.accept_length is not None:
            yield Setting(run.steps, run.topk, run.draft_tokens, square.accept_length)


def _said(value: int | None) -> str:
    return "default" if value is None else str(value)


@lru_cache(maxsize=128)
def _speedup(drawn: Speedups) -> Markup:
    return Markup(speedup_svg(drawn))  # noqa: S704 (an XML writer escaped every text)


@lru_cache(maxsize=128)
def _drawn(drawn: Settings) -> Markup:
    return Markup(settings_svg(drawn))  # noqa: S704 (as above)
