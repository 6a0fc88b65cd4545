"""The user's package index settings: pip's configuration, and what uv's environment adds to it."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from matrix.core.index import IndexSettings

# pip's own order: a later section outranks an earlier one. Files of the user outrank global ones inside each section;
# `pip config list` has merged those already.
_SECTIONS = ("global", "install", ":env:")
_LINE = re.compile(r"(?P<section>global|install|:env:)\.(?P<key>[a-z-]+)=(?P<value>'.*'|\".*\")$")
_INDEX_NAME = re.compile(r"^[A-Za-z0-9._-]+=(?=\w+:)")


def read(environ: Mapping[str, str] = os.environ) -> IndexSettings:
    """What pip would use for `pip install` under this environment, with uv's variables over it.

    Without pip on this host only the environment counts.
    """
    return with_uv(parse(_listing(environ) or _from_environ(environ)), environ)


def parse(listing: str) -> IndexSettings:
    """The settings in the output of `pip config list` (`section.key='value'` lines, values as Python literals)."""
    found: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listing.splitlines():
        if match := _LINE.match(line.strip()):
            found[match["section"]][match["key"]] = str(ast.literal_eval(match["value"]))
    merged: dict[str, str] = {}
    for section in _SECTIONS:
        merged |= found[section]
    return _settings(merged)


def with_uv(settings: IndexSettings, environ: Mapping[str, str]) -> IndexSettings:
    """The settings with uv's own variables applied: its default index replaces pip's, its lists come first."""
    extra = _words(environ.get("UV_INDEX")) + _words(environ.get("UV_EXTRA_INDEX_URL"))
    links = tuple(filter(None, environ.get("UV_FIND_LINKS", "").split(",")))
    return IndexSettings(
        index_url=environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL") or settings.index_url,
        extra_index_urls=_unique(tuple(_INDEX_NAME.sub("", url) for url in extra) + settings.extra_index_urls),
        find_links=_unique(tuple(filter(_there, links)) + settings.find_links),
        constraints=_unique(_words(environ.get("UV_CONSTRAINT")) + settings.constraints),
        cert=settings.cert,
        trusted_hosts=_unique(_words(environ.get("UV_INSECURE_HOST")) + settings.trusted_hosts),
        proxy=settings.proxy,
        timeout_s=settings.timeout_s,
        no_index=settings.no_index,
    )


def _settings(values: Mapping[str, str]) -> IndexSettings:
    timeout = values.get("timeout") or values.get("default-timeout") or ""
    return IndexSettings(
        index_url=values.get("index-url") or None,
        extra_index_urls=_words(values.get("extra-index-url")),
        # pip warns about a folder that is gone and goes on; uv stops. So it is left out here.
        find_links=tuple(filter(_there, _words(values.get("find-links")))),
        constraints=_words(values.get("constraint")),
        cert=values.get("cert") or None,
        trusted_hosts=_words(values.get("trusted-host")),
        proxy=values.get("proxy") or None,
        timeout_s=int(float(timeout)) if re.fullmatch(r"\d+(\.\d+)?", timeout) else None,
        no_index=values.get("no-index", "").lower() in ("1", "true", "yes", "on", "y", "t"),
    )


def _listing(environ: Mapping[str, str]) -> str | None:
    for command in ([sys.executable, "-m", "pip"], [shutil.which("pip3") or "pip3"]):
        try:
            done = subprocess.run(
                [*command, "config", "list"], capture_output=True, text=True, env=dict(environ), timeout=60, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout
    return None


def _from_environ(environ: Mapping[str, str]) -> str:
    names = {k: k.removeprefix("PIP_").lower().replace("_", "-") for k in environ if k.startswith("PIP_")}
    return "\n".join(f":env:.{name}={environ[key]!r}" for key, name in names.items())


def _there(link: str) -> bool:
    return "://" in link or Path(os.path.expanduser(link)).exists()  # noqa: PTH111 - leaves an unknown user as it is


def _words(value: str | None) -> tuple[str, ...]:
    return tuple((value or "").split())


def _unique(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
