"""Files that package indexes and find-links places list: over HTTP, or in folders of this host."""

import os
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import requests
from packaging.utils import canonicalize_name
from pypi_simple import DistributionPackage, Link, NoSuchProjectError, ProjectPage, PyPISimple, parse_links_stream

from matrix.core.index import IndexSettings

_TIMEOUT_S = 30


class UnreachableError(Exception):
    """An index that does not answer as an index should; the message may hold credentials of its URL."""


def index_files(index: str, project: str, settings: IndexSettings) -> list[DistributionPackage] | None:
    """What an index (an HTTP URL, a `file:` URL or a folder) lists for a project; None when it does not know it."""
    if folder := _folder(index):
        if not folder.is_dir():
            raise UnreachableError(f"{index}: no such folder")
        page = folder / canonicalize_name(project) / "index.html"
        return ProjectPage.from_html(project, page.read_bytes()).packages if page.is_file() else None
    with PyPISimple(index, session=_http(index, settings)) as client:
        try:
            return client.get_project_page(project, timeout=settings.timeout_s or _TIMEOUT_S).packages
        except NoSuchProjectError:
            return None
        except (requests.RequestException, ValueError) as exc:
            raise UnreachableError(f"{index}: {_reason(exc)}") from None


def index_clock(index: str, settings: IndexSettings) -> float | None:
    """What an index's server says the time is (Unix seconds); None for a folder, or one that does not say.

    Raises UnreachableError when it does not answer; any answer will do, also one that knows no such page.
    """
    if _folder(index):
        return None
    try:
        answer = _http(index, settings).head(index, timeout=settings.timeout_s or _TIMEOUT_S, allow_redirects=False)
    except (requests.RequestException, ValueError) as exc:
        raise UnreachableError(f"{index}: {_reason(exc)}") from None
    try:
        return parsedate_to_datetime(answer.headers.get("Date", "")).timestamp()
    except ValueError:
        return None


def find_links_files(link: str, project: str, settings: IndexSettings) -> list[DistributionPackage]:
    """Files of one project in a folder or on a page that lists files of many."""
    if folder := _folder(link):
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else [folder.name]
        found = [_package(name, (folder / name).as_uri()) for name in names]
    else:
        found = [DistributionPackage.from_link(entry) for entry in _page(link, settings)]
    wanted = canonicalize_name(project)
    return [file for file in found if file.project and canonicalize_name(file.project) == wanted]


def _page(link: str, settings: IndexSettings) -> list[Link]:
    try:
        answer = _http(link, settings).get(link, timeout=settings.timeout_s or _TIMEOUT_S)
        answer.raise_for_status()
    except requests.RequestException as exc:
        raise UnreachableError(f"{link}: {_reason(exc)}") from None
    # The name is in the address, whatever the text of the anchor says.
    urls = [entry.url for entry in parse_links_stream([answer.text], answer.url)]
    return [Link(unquote(urlsplit(url).path).rpartition("/")[2], url, {}) for url in urls]


def _package(name: str, url: str) -> DistributionPackage:
    return DistributionPackage.from_link(Link(name, url, {}))


def _http(url: str, settings: IndexSettings) -> requests.Session:
    http = requests.Session()
    host = urlsplit(url).netloc.rpartition("@")[2]
    trusted = host in settings.trusted_hosts or host.partition(":")[0] in settings.trusted_hosts
    http.verify = False if trusted else settings.cert or True
    if settings.proxy:
        http.proxies = {"http": settings.proxy, "https": settings.proxy}
    return http


def _folder(place: str) -> Path | None:
    if place.startswith("file:"):
        return Path(unquote(urlsplit(place).path))
    return None if "://" in place else Path(os.path.expanduser(place))  # noqa: PTH111 - leaves an unknown user as it is


def _reason(exc: Exception) -> str:
    if isinstance(exc, requests.HTTPError) and exc.response is not None:
        return f"HTTP {exc.response.status_code} {exc.response.reason}"
    if isinstance(exc, requests.Timeout):
        return "no answer in time"
    if isinstance(exc, requests.exceptions.SSLError):
        return "its certificate is not trusted"
    return "not reachable" if isinstance(exc, requests.ConnectionError) else type(exc).__name__
