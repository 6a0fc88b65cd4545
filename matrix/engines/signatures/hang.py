"""Servers that stopped answering without dying. Ambiguous: slow compilation looks the same for minutes."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_HANG = Outcome.HANG

HANG = (
    row(
        "watchdog",
        r"(?<!Soft )(?<!soft )[Ww]atchdog timeout|self\.watchdog_timeout=\d+\)? ?$|Watchdog thread "
        r".{0,40}(?:stuck|timeout)",
        _HANG,
        "the scheduler's watchdog saw no step for its whole patience",
        "attach py-spy to the scheduler; try without graphs and with one request at a time",
    ),
    row(
        "call-timed-out",
        r"RPC call to \w+ timed out|TimeoutError: .{0,80}execute_model|execute_model timed out"
        r"|couldn't get a response from (?:the )?detokenizer",
        _HANG,
        "a worker stopped answering its engine",
        "look for the rank that stopped first",
    ),
    row(
        "start-timed-out",
        r"(?:Timed? ?out|TimeoutError).{0,60}(?:engine core|server to start|waiting for (?:the )?(?:engine"
        r"|server|model))"
        r"|[Ss]erver (?:failed|did not|didn't) (?:to )?(?:start|become ready) (?:with)?in"
        r"|not (?:become )?ready (?:after|within) \d+",
        _HANG,
        "the server did not become ready in time",
        "give it longer: kernels may still compile",
    ),
    row(
        "probe-killed",
        r"failed liveness probe, will be restarted|failed startup probe, will be restarted",
        _HANG,
        "Kubernetes restarted the server because its health probe failed",
        "give the probe more time: a server that compiles answers 503",
    ),
)
