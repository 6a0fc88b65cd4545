"""Names the cause of a failure and the accept lengths of a log: one classifier for failed runs and for foreign logs."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from matrix.core.failure import Failure, ServerExit
from matrix.core.outcome import Outcome, Tier
from matrix.engines.causes import Causes
from matrix.engines.logreadings import KEEP
from matrix.engines.logscan import Scanner
from matrix.engines.logsigns import ENOUGH
from matrix.engines.logvisit import LogVisit
from matrix.engines.reading import Observation
from matrix.engines.signature import Signature
from matrix.engines.signatures import TABLE, WRAPPER_ROWS, WRAPPERS


@dataclass(frozen=True, slots=True)
class Report:
    """What a log tells. `accept_length` is None when nothing was read or when the observations disagree.

    `engine` is None when the log names none; `signature` groups equal failures and is empty without one.
    """

    engine: str | None
    outcome: Outcome
    tier: Tier
    reason: str
    accept_length: float | None
    observations: tuple[Observation, ...]
    signature: str
    excerpt: str
    next_step: str = ""


def classify(
    log: str,
    table: Sequence[Signature] = (),
    wrappers: Sequence[str] = (),
    *,
    served: bool,
    exit_: ServerExit | None,
) -> Failure:
    """The failure that the log of a run of ours tells of; `table` holds rows to try before the common ones."""
    visit = _visit(table, wrappers, served)
    Scanner(visit).run(io.BytesIO(log.encode("utf-8", "replace")))
    crash = Outcome.SERVE_CRASH if served else Outcome.LOAD_CRASH
    found = visit.causes.named()
    if found is not None:
        return found
    if exit_ is not None and exit_.oom:
        return _killed(visit, exit_)
    return visit.causes.told() or _silent(visit, crash, exit_)


def classify_log(stream: BinaryIO, engine: str | None = None) -> Report:
    """What a log of unknown origin tells, read once and in bounded memory."""
    visit = _visit((), (), None)
    Scanner(visit).run(stream)
    failure = visit.causes.named() or visit.causes.told() or _nothing_drafted(visit)
    length = visit.readings.agreement.value()
    outcome = failure.outcome if failure else Outcome.OK
    return Report(
        engine=engine or visit.signs.engine,
        outcome=outcome,
        tier=outcome.tier,
        reason=failure.reason if failure else _fine(visit, length),
        accept_length=length,
        observations=tuple(visit.readings.observations),
        signature=failure.signature if failure else "",
        excerpt=failure.excerpt if failure else "",
        next_step=failure.next_step if failure else "",
    )


def _visit(table: Sequence[Signature], wrappers: Sequence[str], served: bool | None) -> LogVisit:
    return LogVisit(Causes((*table, *TABLE), WRAPPER_ROWS, (*wrappers, *WRAPPERS), served))


def _fine(visit: LogVisit, length: float | None) -> str:
    count = visit.readings.agreement.count
    if not count:
        return "no failure is named, and no accept length can be read"
    listed = f" ({KEEP} of them listed)" if count > KEEP else ""
    readings = f"{count} accept length{'s' if count > 1 else ''}{listed}"
    return f"no failure is named; {readings} read" + ("" if length is not None else ", which disagree")


def _nothing_drafted(visit: LogVisit) -> Failure | None:
    """Speculation configured and tokens generated, but not one record of it: it is silently off."""
    if not visit.readings.context.configured or visit.signs.tokens < ENOUGH or visit.readings.observations:
        return None
    reason = "speculation is configured and tokens were generated, but the log has no record of a draft"
    step = "read back what the engine resolved; statistics may be switched off"
    return Failure(Outcome.MEASURED_NOTHING, reason, step, "no-draft-recorded")


def _killed(visit: LogVisit, exit_: ServerExit) -> Failure:
    reason = f"the server was killed for want of memory ({exit_.detail or 'out of memory'})"
    return Failure(
        Outcome.OOM, reason, "raise the memory limit or lower max_model_len", "killed-for-memory", visit.tail()
    )


def _silent(visit: LogVisit, crash: Outcome, exit_: ServerExit | None) -> Failure:
    code = "unknown" if exit_ is None or exit_.code is None else str(exit_.code)
    said = f"; its last line: {visit.last[:160]}" if visit.last else "; it logged nothing"
    reason = f"the server ended (exit status {code}) without naming an error{said}"
    return Failure(crash, reason, "read the whole log", f"silent-exit-{code}", visit.tail())
