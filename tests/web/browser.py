"""The Chromium that tests and screenshots drive."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

PATH = os.environ.get("MATRIX_CHROMIUM", "/usr/bin/chromium")
_ARGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=PATH, args=_ARGS)
        try:
            yield browser
        finally:
            browser.close()
