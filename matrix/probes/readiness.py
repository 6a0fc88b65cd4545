"""Waiting for a server: ready is one finished generation of the model that we serve."""

import time
from collections.abc import Callable
from typing import Protocol

from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.probes.client import Client, Rendered
from matrix.probes.faults import EngineFaultError, Fault, NotReadyError

DEADLINE_S = 600.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _GROWTH = 0.05, 0.5, 1.5
_LIST_S = 15.0
_LEAST_S = 2.0  # an attempt just before the deadline still gets this long, so that its answer tells the reason
_REFUSALS = 5  # conclusive answers in a row, within about a second, before the server is given up
_PROMPT, _TOKENS = Rendered("Hello"), 4


class Pollable(Protocol):
    """The part of a server that tells whether it still runs."""

    def poll(self) -> ServerExit | None: ...


def wait_ready(
    client: Client,
    server: Pollable | None,
    *,
    deadline_s: float = DEADLINE_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> float:
    """Seconds until the first generation had finished. Raises `NotReadyError` when the server ends, when time runs out,
    and when its answers can never become a generation.

    `/health` is not asked: engines answer 200 there before they can generate and 503 while they do. The model list must
    hold the client's model, so another server on the same port is never taken for ours.
    """
    start = clock()
    pause, refusals = _FIRST_PAUSE_S, 0
    while True:
        ended = server.poll() if server else None
        if ended is not None:
            raise NotReadyError(_ending(ended), hint="see the end of its log", exit_=ended)
        problem = _attempt(client, max(deadline_s - (clock() - start), _LEAST_S))
        if problem is None:
            return clock() - start
        refusals = refusals + 1 if problem.conclusive else 0
        if refusals == _REFUSALS:
            raise NotReadyError(f"the server answers, but with no generation: {problem.cause}")
        if clock() - start >= deadline_s:
            raise NotReadyError(f"not ready after {deadline_s:g} s: {problem.cause}", outcome=Outcome.HANG)
        sleep(min(pause, max(deadline_s - (clock() - start), 0)))
        pause = min(pause * _GROWTH, _LONGEST_PAUSE_S)


def _attempt(client: Client, left_s: float) -> EngineFaultError | None:
    """None when a generation finished, else what stood in the way."""
    try:
        served = client.models(timeout_s=min(left_s, _LIST_S))
        if client.model not in served:
            names = ", ".join(map(repr, served)) or "no model"
            return EngineFaultError(Fault.STATUS, f"{client.url} serves {names} and not {client.model!r}")
        client.complete(_PROMPT, _TOKENS, timeout_s=left_s)
    except EngineFaultError as error:
        return error
    return None


def _ending(ended: ServerExit) -> str:
    code = "" if ended.code is None else f" with exit status {ended.code}"
    memory = ", killed for memory" if ended.oom else ""
    detail = f": {ended.detail}" if ended.detail else ""
    return f"the server ended{code}{memory} before its first finished generation{detail}"
