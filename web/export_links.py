"""Which file of a static site an address becomes, and pages with their links turned to such files."""

import hashlib
import html
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

_PAGE_OF_SERIES = re.compile(r"/series/[^/]+")
_KINDS = (".svg", ".csv", ".atom", ".md", ".json", ".css", ".js", ".txt", ".png")
_LONGEST = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")
_LINK = re.compile(r'(?<=\s)(href|src)="([^"]*)"')
_LIVE = re.compile(r'\s(?:hx-[a-z:-]+|data-live)="[^"]*"')
_FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
_HTMX = re.compile(r'<script src="[^"]*htmx[^"]*" defer></script>\n?')
_VISIT = re.compile(r'<p id="visit".*?</p>', re.DOTALL)
_ASK = (
    '<p class="quiet">This is a copy without a service behind it; where <code>matrix serve</code> runs, this can be '
    "asked.</p>"
)
_OVERVIEW = "/"


@dataclass(frozen=True, slots=True)
class Place:
    """`asked`: path and query to ask the application for; `file`: where the answer goes, inside the site's folder."""

    asked: str
    file: str


def place_of(address: str) -> Place | None:
    """The place of an address of the application, without its fragment; None for what a copy leaves out."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path.startswith("/") or parts.path.startswith("/fragments/"):
        return None
    path, query = parts.path, parts.query
    if path == _OVERVIEW:
        return Place("/", "index.html")
    if _PAGE_OF_SERIES.fullmatch(path):
        # A plot that a page loads later stands in the page itself, and all revisions do.
        return Place(f"{path}?plots=true&every=true", f"{_named(path)}.html")
    if path.startswith("/static/"):
        return Place(path, _named(path))
    asked = f"{path}?{query}" if query else path
    stem, kind = _split(path)
    mark = f"~{hashlib.sha256(query.encode()).hexdigest()[:12]}" if query else ""
    return Place(asked, f"{_named(stem)}{mark}{kind}")


def page(text: str, file: str, found: Callable[[Place], None]) -> str:
    """The page as it stands in `file`: links relative, nothing live, no form; `found` is told of each place."""
    for pattern, instead in ((_FORM, _ASK), (_HTMX, ""), (_VISIT, ""), (_LIVE, "")):
        text = pattern.sub(instead, text)
    return _LINK.sub(lambda match: _turned(match, file, found), text)


def feed(text: str, file: str, found: Callable[[Place], None]) -> str:
    """The feed likewise; its links are relative to the first page already."""
    return _LINK.sub(lambda match: _turned(match, file, found, "/"), text)


def _turned(match: re.Match[str], file: str, found: Callable[[Place], None], base: str = "") -> str:
    address = base + html.unescape(match[2])
    place = place_of(address)
    if place is None:
        return match[0]
    found(place)
    mark = urlsplit(address).fragment
    relative = posixpath.relpath(place.file, posixpath.dirname(file) or ".")
    return f'{match[1]}="{quote(relative)}{f"#{html.escape(mark)}" if mark else ""}"'


def _split(path: str) -> tuple[str, str]:
    """The path without its kind of file, and that kind: what the API answers is JSON, what has no kind is a page."""
    if path.endswith("/log") and not path.startswith("/api/"):
        return path, ".txt"
    kind = posixpath.splitext(path)[1]
    if kind in _KINDS and not path.startswith(("/drafts/", "/engines/", "/api/v1/")):
        return path.removesuffix(kind), kind
    return path, ".json" if path.startswith("/api/") or path == "/healthz" else ".html"


def _named(path: str) -> str:
    """File names that every file system and web server takes as they are, different ones for different paths."""
    return "/".join(_segment(unquote(part)) for part in path.strip("/").split("/"))


def _segment(name: str) -> str:
    safe = _UNSAFE.sub(lambda match: "".join(f"={byte:02X}" for byte in match[0].encode("utf-8", "replace")), name)
    if safe.startswith("."):
        safe = f"=2E{safe[1:]}"
    if len(safe) <= _LONGEST:
        return safe or "="
    return f"{safe[: _LONGEST - 17]}={hashlib.sha256(name.encode()).hexdigest()[:16]}"
