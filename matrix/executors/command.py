"""Runs a user's command in a folder, for a bisection that asks it instead of our probe."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from matrix.executors.venv_shell import Shell

COMMIT = "SPECMATRIX_COMMIT"
"""The variable that tells the command which commit it judges."""

NOT_EXECUTABLE, NOT_FOUND, SIGNALLED = 126, 127, 128


def run_command(argv: Sequence[str], folder: Path, commit: str, log: Path, redact: Callable[[str], str]) -> int:
    """The exit status as a shell gives it: 126 and 127 for what cannot be started, 128 + N for a signal N.

    Output goes to `log`. On Ctrl-C the command and its children are killed first.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | {COMMIT: commit}
    log.parent.mkdir(parents=True, exist_ok=True)
    log.touch()
    try:
        code = Shell(kept, log, redact, folder).run(argv).code
    except PermissionError:
        return NOT_EXECUTABLE
    except FileNotFoundError:
        return NOT_FOUND
    return SIGNALLED - code if code < 0 else code
