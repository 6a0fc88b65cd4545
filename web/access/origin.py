"""Whether a browser sent a request from one of this dashboard's own pages."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers


def own_page(headers: Headers) -> bool:
    """True when every header by which a browser tells where a form stands names this dashboard, and at least one does.

    `Sec-Fetch-Site` is sent to https and to this machine, `Origin` with every form that changes something. Schemes are
    not compared: a proxy in front may speak another one than this process.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is None:
        return False
    return site in (None, "same-origin") and (origin is None or _is(origin, headers.get("host", "")))


def _is(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
        port = {None: "", 80: "", 443: ""}.get(parts.port, f":{parts.port}")
    except ValueError:
        return False
    usual = host.lower().removesuffix(":80").removesuffix(":443")
    name = parts.hostname or ""
    return bool(name) and usual == (f"[{name}]" if ":" in name else name) + port
