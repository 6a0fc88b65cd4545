"""Ctrl-C and its like: raised once a burst, and never in the middle of an import."""

import signal

import pytest

from matrix.cli import signals
from matrix.cli.signals import Interrupt


def test_a_nervous_finger_does_not_cut_the_clean_up_short(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(signals.time, "monotonic", lambda: now[0])
    interrupt = Interrupt()
    with pytest.raises(KeyboardInterrupt):
        interrupt(signal.SIGINT, None)
    now[0] += 0.5
    interrupt(signal.SIGINT, None)
    now[0] += 1.0
    with pytest.raises(KeyboardInterrupt):
        interrupt(signal.SIGINT, None)


def test_what_comes_during_an_import_is_raised_after_it() -> None:
    interrupt, done = Interrupt(), []
    with pytest.raises(KeyboardInterrupt), interrupt.held():
        interrupt(signal.SIGTERM, None)
        done.append("import")
    assert done == ["import"]
    with interrupt.held():
        done.append("quiet")
    assert done == ["import", "quiet"]
