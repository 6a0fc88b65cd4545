"""Templates to HTML. Everything from outside is escaped; an undefined name is an error, never an empty string."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse

import matrix
from matrix.app.bisect.report import short
from matrix.app.commands import acknowledge
from web import words
from web.flags import run_flag, sample_flag
from web.squares import row_html, square_html
from web.verdicts import line_html, state_html, verdict_lines

# A piece ends after a dot, slash or underscore, and begins with a plus or minus.
_PIECES = re.compile(r"[+-]?[^./_+-]*[./_]?")
_FOLDER = Path(__file__).parent / "templates"


class Renderer:
    """Holds the compiled templates; `assets` are the addresses of the static files by name, `writing` says whether
    anything can be changed here.
    """

    def __init__(self, assets: Mapping[str, str], clock: Callable[[], float], writing: bool = False) -> None:
        self.clock = clock
        self.env = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_FOLDER),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            finalize=_shown,
        )
        self.env.filters |= _FILTERS | {"when": self._when}
        self.env.globals |= {
            "acknowledge": acknowledge,
            "assets": assets,
            "version": matrix.__version__,
            "line_html": line_html,
            "row_html": row_html,
            "square_html": square_html,
            "state_html": state_html,
            "words": words,
            "writing": writing,
        }

    def html(self, template: str, **values: Any) -> Markup:
        """The rendered template; every template may use `now` (Unix seconds)."""
        text = self.env.get_template(template).render(now=self.clock(), **values)
        return Markup(text)  # noqa: S704 (escaped inside)  # nosec B704

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.html(template, **values), status_code=status)

    def personal(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page for whoever asked alone: it holds their form token, so nobody in between may keep it."""
        answer = self.page(template, status, **values)
        answer.headers["cache-control"] = "private, no-store"
        return answer

    def _when(self, moment: float | None) -> Markup:
        """A time in UTC whose tooltip says how long ago that was."""
        iso, utc = _spelled(moment)
        # No word of this comes from outside, so nothing has to be escaped; a page has dozens of times.
        return Markup(f'<time datetime="{iso}" title="{words.ago(moment, self.clock())}">{utc}</time>')  # noqa: S704  # nosec B704


@lru_cache(maxsize=4096)
def _spelled(moment: float | None) -> tuple[str, str]:
    return words.iso(moment), words.utc(moment)


def _shown(value: Any) -> Any:
    """Every value that a template prints passes here, so no page can forget to make hidden characters visible."""
    return words.visible(value) if type(value) is str else value


def _path_part(text: str | int) -> str:
    return quote(str(text), safe="")


@lru_cache(maxsize=4096)
def _breakable(text: str) -> Markup:
    """A version that may wrap at its dots and signs instead of anywhere."""
    return Markup("<wbr>").join(_PIECES.findall(words.visible(text)))


def _figure(spell: Callable[..., str]) -> Callable[..., str]:
    """A figure with its unit; one that is missing is said in words, and quietly."""

    def shown(value: float | None, *args: Any, unit: str = "", missing: str = words.NOT_MEASURED) -> str:
        text = spell(value, *args, missing=missing)
        if text == missing:
            return Markup('<span class="missing">{}</span>').format(text)
        return f"{text} {unit}" if unit else text

    return shown


_FILTERS: dict[str, Callable[..., Any]] = {
    "cut": words.cut,
    "day": words.day,
    "number": _figure(words.number),
    "count": _figure(words.count),
    "percent": _figure(words.percent),
    "duration": _figure(words.duration),
    "size": words.size,
    "metric": words.metric,
    "breakable": _breakable,
    "lines": verdict_lines,
    "part": _path_part,
    "short": short,
    "signed_percent": words.signed_percent,
    "run_flag": run_flag,
    "sample_flag": sample_flag,
}
