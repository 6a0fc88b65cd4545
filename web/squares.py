"""One square of the heatmap as HTML: a glyph (shape), a text, and a class (colour)."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from urllib.parse import quote

from markupsafe import Markup, escape

from matrix.core.state import State
from matrix.store.views import SeriesRow, Square
from web import words

Made = TypeVar("Made")
_ROWS = 1024
_WAITING = "queued"
_RUNNING = "running"
_KNOWN = frozenset(state.value for state in State)
_UNPLANNED = Markup(
    '<span class="sq none" id="{}"><span aria-hidden="true">·</span><span class="vh">not planned</span></span>'
)
_BODY = Markup('<svg class="g" aria-hidden="true"><use href="#g-{0}"/></svg><span>{1}</span>{2}')
_HIDDEN = Markup('<span class="vh">, {}</span>')
_LINK = Markup('<a class="sq s-{0}" id="{1}" href="/runs/{2}" title="{3}">{4}</a>')
_PLAIN = Markup('<span class="sq s-{0}" id="{1}" title="{2}">{3}</span>')


def shown_state(square: Square) -> str:
    """The state to draw: `queued` or `running` in a sweep under way, and `unknown` for a word that is no state."""
    if square.phase:
        return _WAITING if square.phase == _WAITING else _RUNNING
    return square.state if square.state in _KNOWN else State.UNKNOWN.value


def square_text(square: Square) -> str:
    """Phase, the store's text, or the state in words: never empty."""
    return words.visible(square.phase or square.text.strip() or square.state)


def square_html(square: Square | None, identity: str) -> Markup:
    """The content of one heatmap cell; `identity` is its element id."""
    if square is None:
        return _UNPLANNED.format(identity)
    state, text = shown_state(square), square_text(square)
    hidden = Markup() if text == state else _HIDDEN.format(state)
    body = _BODY.format(state, text, hidden)
    reason = _tooltip(square, state)
    if square.run_id is None:
        return _PLAIN.format(state, identity, reason, body)
    return _LINK.format(state, identity, quote(square.run_id, safe=""), reason, body)


def of_row(work: Callable[[SeriesRow], Made]) -> Callable[[SeriesRow], Made]:
    """What is made of a row, made once: the store tells a row that is as it was by the same object again."""
    kept: OrderedDict[int, tuple[SeriesRow, Made]] = OrderedDict()

    @wraps(work)
    def made(row: SeriesRow) -> Made:
        held = kept.get(id(row))
        if held is None or held[0] is not row:
            held = kept[id(row)] = (row, work(row))
            while len(kept) > _ROWS:
                kept.popitem(last=False)
        return held[1]

    return made


@of_row
def row_html(row: SeriesRow) -> Markup:
    """The table cells of one series."""
    cells = (square_html(square, square_id(row.series_key, i)) for i, square in enumerate(row.squares))
    return Markup().join(Markup("<td>{}</td>").format(cell) for cell in cells)


@of_row
def row_squares(row: SeriesRow) -> tuple[dict[str, Square | None], int]:
    """The squares of one series by element id, and a hash of what they say."""
    squares = {square_id(row.series_key, i): square for i, square in enumerate(row.squares)}
    return squares, hash(tuple(squares.items()))


def _tooltip(square: Square, state: str) -> Markup:
    text = f"{state}: {square.reason}" if square.reason else state
    if square.phase and square.run_id:
        text = f"{state}; before: {square.state} {square.text}, {square.reason}"
    return escape(words.visible(text))


def square_id(series_key: str, column: int) -> str:
    return f"sq-{series_key}-{column}"
