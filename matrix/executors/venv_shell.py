"""Runs the installer: its output to the log as it comes, and nothing of it left running afterwards."""

import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class Finished:
    """Exit code and the last part of what a command printed, credentials hidden."""

    code: int
    text: str


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs commands with one environment and one log, in `folder` or the working one.

    `redact` is applied to every line before it is kept.
    """

    env: Mapping[str, str]
    log: Path
    redact: Callable[[str], str]
    folder: Path | None = None

    def run(
        self, argv: Sequence[str], extra: Mapping[str, str] | None = None, timeout_s: float | None = None
    ) -> Finished:
        """Run to the end, or until it is killed after `timeout_s`.

        On any exception (Ctrl-C, full disk) the command and its children are killed first.
        """
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", errors="replace") as log:
            log.write(self.redact(f"$ {' '.join(argv)}\n"))
            with subprocess.Popen(
                argv,
                env={**self.env, **(extra or {})},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            ) as process:
                timer = threading.Timer(timeout_s or threading.TIMEOUT_MAX, _kill, [process.pid])
                timer.daemon = True
                timer.start()
                try:
                    text = self._follow(process.stdout, log)
                except BaseException:
                    _kill(process.pid)
                    raise
                finally:
                    timer.cancel()
            return Finished(process.returncode, text)

    def _follow(self, stream: IO[str] | None, log: IO[str]) -> str:
        tail: deque[str] = deque(maxlen=200)
        for line in stream or ():
            clean = self.redact(line)
            log.write(clean)
            log.flush()
            tail.append(clean)
        return "".join(tail)


def _kill(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
