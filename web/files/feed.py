"""Changes of state as an Atom feed: of everything, or of what the filters of the first page leave."""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET  # nosec B405

from fastapi import APIRouter, Depends
from starlette.responses import Response

from matrix.store.views import FlipView
from web.filters import View, view_from
from web.site import Site
from web.words import iso, metric, visible

KIND = "application/atom+xml"
_ATOM = "http://www.w3.org/2005/Atom"
_MOST = 200
_SPACE = uuid5(NAMESPACE_URL, "specmatrix/changes")


def add(routes: APIRouter, site: Site) -> None:
    @routes.get("/feed.atom", response_class=Response, responses={200: {"content": {KIND: {}}}}, summary="Atom feed")
    def feed(view: Annotated[View, Depends(view_from)]) -> Response:
        """Changes of state, the newest first; the first page's filters narrow it.

        An entry's id follows from the series, the metric and the two revisions, so that what is judged again is not
        told again.
        """
        found = [flip for flip in site.store.changes(view.since or 0.0) if view.fits(flip)]
        # Of two changes between the same revisions the newer one says what holds.
        newest = {entry_id(flip): flip for flip in reversed(found)}
        return Response(atom(list(reversed(newest.values()))[:_MOST], view.query), media_type=KIND)


def atom(flips: Sequence[FlipView], query: str) -> str:
    """The feed as XML; its links are relative, so that it says the same under every name of the service."""
    root = ET.Element("feed", {"xmlns": _ATOM})
    _text(root, "title", f"specmatrix: {query or 'all changes of state'}")
    _text(root, "id", f"urn:uuid:{uuid5(_SPACE, query)}")
    _text(root, "updated", iso(max((flip.created_at for flip in flips), default=0.0)))
    ET.SubElement(ET.SubElement(root, "author"), "name").text = "specmatrix"
    ET.SubElement(root, "link", {"rel": "self", "type": KIND, "href": f"feed.atom{'?' if query else ''}{query}"})
    for flip in flips:
        _entry(root, flip)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def entry_id(flip: FlipView) -> str:
    """The same for the same series, metric and pair of revisions, in every feed."""
    about = "\n".join((flip.series_key, flip.metric, flip.from_revision or "", flip.to_revision))
    return f"urn:uuid:{uuid5(_SPACE, about)}"


def _entry(root: ET.Element, flip: FlipView) -> None:
    entry = ET.SubElement(root, "entry")
    _text(entry, "id", entry_id(flip))
    _text(entry, "title", f"{flip.change}: {flip.series} in {flip.engine} {flip.to_revision}")
    for name in ("published", "updated"):
        _text(entry, name, iso(flip.created_at))
    where = f"series/{quote(flip.series_key, safe='')}"
    ET.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": where})
    for term in (flip.change, flip.after):
        ET.SubElement(entry, "category", {"term": visible(term)})
    _text(entry, "summary", f"{metric(flip.metric)}: {flip.before} in {flip.from_revision or 'no revision before'}, "
          f"{flip.after} in {flip.to_revision}. {flip.reason}")  # fmt: skip


def _text(parent: ET.Element, name: str, text: str) -> None:
    # XML holds no control characters, not even escaped; they become visible marks.
    ET.SubElement(parent, name).text = visible(text)
