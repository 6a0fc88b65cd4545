"""A browser page that remembers everything a careful person would object to."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page

_LAYOUT = Path(__file__).with_name("layout.js").read_text()


@dataclass
class Watched:
    """`complaints`: console errors, failed scripts, and requests that left this machine; `asked`: paths requested."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def look(self, width: int, scheme: str) -> None:
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")

    def layout_faults(self) -> list[str]:
        found: list[str] = self.page.evaluate(_LAYOUT)
        return found

    def axe_faults(self) -> list[str]:
        violations = Axe().run(self.page).response["violations"]
        grave = [v for v in violations if v["impact"] in ("serious", "critical")]
        return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in grave]


@contextmanager
def watching(browser: Browser, **options: Any) -> Iterator[Watched]:
    context = browser.new_context(**options)
    watched = Watched(context.new_page())
    watched.page.set_default_timeout(20_000)
    watched.page.on("console", lambda m: watched.complaints.append(m.text) if m.type in ("error", "warning") else None)
    watched.page.on("pageerror", lambda e: watched.complaints.append(str(e)))
    watched.page.on("request", lambda r: _note(watched, r.url))
    try:
        yield watched
    finally:
        context.close()


def _note(watched: Watched, url: str) -> None:
    parts = urlsplit(url)
    if parts.hostname == "127.0.0.1":
        watched.asked.append(parts.path)
    else:
        watched.complaints.append(f"asked {url}")
