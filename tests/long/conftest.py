"""Tells at the end what was downloaded, and which rows nothing proves."""

import pytest

from tests.long.wheels import VOLUME


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if VOLUME.wheels or VOLUME.lines:
        terminalreporter.section("witnesses in wheels")
        terminalreporter.line(f"downloaded {VOLUME.wheels} wheels, {VOLUME.size / 1e6:.0f} MB")
    for line in VOLUME.lines:
        terminalreporter.line(line)
