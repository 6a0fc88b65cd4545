"""Templates to HTML. Everything from outside is escaped; an undefined name is an error, never an empty string."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from starlette.responses import HTMLResponse

import matrix
from web import words
from web.squares import square_html

_FOLDER = Path(__file__).parent / "templates"


class Renderer:
    """Holds the compiled templates; `assets` are the addresses of the static files by name."""

    def __init__(self, assets: Mapping[str, str], clock: Callable[[], float]) -> None:
        self.clock = clock
        self.env = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_FOLDER),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.env.filters |= _FILTERS | {"when": self._when}
        self.env.globals |= {
            "assets": assets,
            "version": matrix.__version__,
            "square_html": square_html,
            "words": words,
        }

    def html(self, template: str, **values: Any) -> Markup:
        """The rendered template; every template may use `now` (Unix seconds)."""
        return Markup(self.env.get_template(template).render(now=self.clock(), **values))  # noqa: S704 (escaped inside)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.html(template, **values), status_code=status)

    def _when(self, moment: float | None) -> Markup:
        """A time in UTC whose tooltip says how long ago that was."""
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            words.iso(moment), words.ago(moment, self.clock()), words.utc(moment)
        )


def _path_part(text: str | int) -> str:
    return quote(str(text), safe="")


_FILTERS: dict[str, Callable[..., Any]] = {
    "number": words.number,
    "count": words.count,
    "percent": words.percent,
    "duration": words.duration,
    "size": words.size,
    "visible": words.visible,
    "metric": words.metric,
    "state": words.state,
    "chip": words.chip,
    "part": _path_part,
}
