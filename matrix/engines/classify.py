"""Names the cause of a failed run from its log: the table first, then the innermost Python error."""

import re
from collections.abc import Iterable, Sequence

from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.core.result import Failure
from matrix.engines.logtext import clean_lines
from matrix.engines.signature import Signature, normalise

_ERROR = re.compile(
    r"^(?P<type>(?:[A-Za-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)?)(?:: (?P<text>.*))?$"
)
_TRACEBACK = "Traceback (most recent call last):"
EXCERPT_LINES = 12
REASON_LIMIT = 300


def classify(
    log: str, table: Sequence[Signature], wrappers: Sequence[str], *, served: bool, exit_: ServerExit | None
) -> Failure:
    """The failure that `log` tells of. `wrappers` are beginnings of errors that only repeat another one."""
    lines = list(clean_lines(log))
    crash = Outcome.SERVE_CRASH if served else Outcome.LOAD_CRASH
    found = _from_table(lines, table, crash)
    if found is not None:
        return found
    if exit_ is not None and exit_.oom:
        return _killed(lines, exit_)
    return _from_traceback(lines, wrappers, crash) or _silent(lines, crash, exit_)


def _from_table(lines: Sequence[str], table: Sequence[Signature], crash: Outcome) -> Failure | None:
    """The table's first row that occurs wins, wherever it stands: a root cause often comes before its wrapper."""
    for row in table:
        for number, line in enumerate(lines):
            match = row.pattern.search(line)
            if match:
                groups = {k: v or "" for k, v in match.groupdict().items()}
                return Failure(
                    outcome=row.outcome or crash,
                    reason=row.reason.format(**groups)[:REASON_LIMIT],
                    next_step=row.next_step.format(**groups),
                    signature=row.name,
                    excerpt=excerpt(lines, number),
                )
    return None


def _from_traceback(lines: Sequence[str], wrappers: Sequence[str], crash: Outcome) -> Failure | None:
    errors = [(n, line) for n, line in _errors(lines) if not any(w in line for w in wrappers)]
    if not errors:
        return None
    number, line = errors[0]
    return Failure(crash, line[:REASON_LIMIT], "read the log around this line", normalise(line), excerpt(lines, number))


def _errors(lines: Sequence[str]) -> Iterable[tuple[int, str]]:
    """Last lines of tracebacks: the first unindented `SomeError: ...` after each header."""
    inside = False
    for number, line in enumerate(lines):
        if _TRACEBACK in line:
            inside = True
        elif inside and line and not line[0].isspace() and _ERROR.match(line):
            inside = False
            yield number, line


def _killed(lines: Sequence[str], exit_: ServerExit) -> Failure:
    reason = f"the server was killed for want of memory ({exit_.detail or 'out of memory'})"
    step = "raise the memory limit or lower max_model_len"
    return Failure(Outcome.OOM, reason, step, "killed-for-memory", excerpt(lines, len(lines)))


def _silent(lines: Sequence[str], crash: Outcome, exit_: ServerExit | None) -> Failure:
    code = "unknown" if exit_ is None or exit_.code is None else str(exit_.code)
    last = next((line for line in reversed(lines) if line.strip()), "")
    said = f"; its last line: {last[:160]}" if last else "; it logged nothing"
    reason = f"the server ended (exit status {code}) without naming an error{said}"
    return Failure(crash, reason, "read the whole log", f"silent-exit-{code}", excerpt(lines, len(lines)))


def excerpt(lines: Sequence[str], number: int) -> str:
    """A dozen lines that end a little after line `number`."""
    end = min(number + 3, len(lines))
    return "\n".join(line[:400] for line in lines[max(end - EXCERPT_LINES, 0) : end])
