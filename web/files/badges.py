"""Badges for a README: the newest revision of an engine that a target was run at, its state and its accept length."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import Response

from matrix.core.revision import kind_of
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.store.narrow import Narrow
from matrix.store.states import worst_of
from matrix.store.views import Square
from web.asked import Name
from web.site import Site
from web.words import visible

_SVG = "image/svg+xml"
_FEW_MINUTES = {"cache-control": "public, max-age=300"}
_NO_DRAFT = "-"
_UNTESTED = "unknown: not tested"
_LONGEST = 60
# White text stands on each of these with a contrast of at least 4.5.
_COLOURS = {
    State.HEALTHY: "#17713f",
    State.DEGRADED: "#825500",
    State.COLLAPSED: "#a03c05",
    State.BROKEN: "#ad1f28",
    State.SLOWER: "#6d5700",
    State.WRONG_OUTPUT: "#86298a",
    State.SUSPICIOUS_HIGH: "#5a3cbc",
}
_GREY = "#57606a"
_DRAWN = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{said}">'
    "<title>{title}</title>"
    '<rect width="{width}" height="20" rx="3" fill="#3a4148"/>'
    '<path d="M{split} 0h{rest}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{rest}z" fill="{colour}"/>'
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
    '<text x="6" y="14" textLength="{left_text}">{left}</text>'
    '<text x="{right_at}" y="14" textLength="{right_text}">{right}</text></g></svg>'
)
_FOUND: dict[int | str, dict[str, Any]] = {200: {"content": {_SVG: {}}}}
Kind = Annotated[Literal["", "release", "nightly", "commit"], Query(description="Only revisions of this kind.")]


@dataclass(frozen=True, slots=True)
class Badge:
    """`accept_length` None: not measured; `revision` empty: never run."""

    revision: str
    state: str
    accept_length: float | None


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/badge.svg", response_class=Response, responses=_FOUND, summary="Badge by names")
    def by_names(engine: Name, target: Name, draft: Name = "", method: Name = "", kind: Kind = "") -> Response:
        """State, accept length and revision as a small SVG; `draft=-` means without a draft model, nothing any."""
        return _answer(site, engine, target, draft, method, kind)

    @routes.get("/badge/{engine}/{names:path}.svg", response_class=Response, responses=_FOUND, summary="Badge")
    def badge(engine: str, names: str, method: Name = "", kind: Kind = "") -> Response:
        """The same at `/badge/ENGINE/TARGET/DRAFT.svg`; names may hold slashes, `-` is no draft model."""
        target, draft = _parted(names, site.store.choices()["target"])
        return _answer(site, engine, target, draft, method, kind)


def _answer(site: Site, engine: str, target: str, draft: str, method: str, kind: str) -> Response:
    model = draft if draft not in ("", _NO_DRAFT) else None
    narrow = Narrow(engine=engine, target=target, draft=model, method=method or None)
    found = [square for square in _squares(site, narrow, draft) if kind in ("", kind_of(square.revision).value)]
    about = " ".join(name for name in (engine, target, "" if draft == _NO_DRAFT else draft) if name)
    return Response(badge_svg(newest(found), about, engine), media_type=_SVG, headers=_FEW_MINUTES)


def _parted(names: str, targets: list[str]) -> tuple[str, str]:
    """Target and draft of `TARGET/DRAFT`, where either may hold slashes: the split whose target was run."""
    words = names.split("/")
    splits = [("/".join(words[:i]), "/".join(words[i:])) for i in range(1, len(words) + 1)]
    return next((split for split in reversed(splits) if split[0] in targets), (names, ""))


def _squares(site: Site, narrow: Narrow, draft: str) -> Iterator[Square]:
    """What was run of all series that fit, the newest revision first; baselines are left out."""
    for heatmap in site.store.overview(narrow).heatmaps:
        rows = [row for row in heatmap.rows if row.method != Method.NONE.value]
        rows = [row for row in rows if row.target == narrow.target and (draft != _NO_DRAFT or row.draft is None)]
        rows = [row for row in rows if narrow.draft in (None, row.draft) and narrow.method in (None, row.method)]
        for at in _newest_first(heatmap.revisions) if heatmap.engine == narrow.engine else ():
            yield from (square for row in rows if (square := row.squares[at]) is not None and square.run_id)


def _newest_first(revisions: list[str]) -> range:
    return range(len(revisions) - 1, -1, -1)


def newest(squares: list[Square]) -> Badge:
    """What the newest revision says: the worst state there, and the accept length that goes with it."""
    if not squares:
        return Badge("", State.UNKNOWN.value, None)
    there = [square for square in squares if square.revision == squares[0].revision]
    state = worst_of(square.state for square in there)
    known = [s.accept_length for s in there if s.state == state and s.accept_length is not None]
    return Badge(there[0].revision, state, min(known, default=None))


def badge_svg(badge: Badge, about: str, engine: str) -> str:
    """SVG text; widths are forced, so that it looks the same in every font."""
    left = _short(f"{engine} {badge.revision}".strip())
    length = f" {badge.accept_length:.2f}" if badge.accept_length is not None else ""
    right = f"{badge.state}{length}" if badge.revision else _UNTESTED
    state = next((state for state in State if state == badge.state), State.UNKNOWN)
    left_text, right_text = (round(6.6 * len(text)) for text in (left, right))
    split, width = left_text + 12, left_text + right_text + 24
    return _DRAWN.format(
        width=width, said=f"{left}: {right}", title=f"{visible(about)}: {right}", split=split, rest=width - split - 3,
        colour=_COLOURS.get(state, _GREY), left_text=left_text, left=left, right_at=split + 6, right_text=right_text,
        right=right,
    )  # fmt: skip


def _short(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
