"""Why a running server gave no accept length, and the next step."""

from dataclasses import replace

from matrix.app.record import Record
from matrix.app.url_cell import SERVER_TEMPLATE
from matrix.core.outcome import Outcome
from matrix.core.result import Failure, RunResult
from matrix.core.workload import IMAGE
from matrix.probes.faults import EngineFaultError, Fault

_NO_SPEC = "the server has no speculation configured: there is no accept length to measure"
_START = {
    "vllm": "start it with --speculative-config",
    "sglang": "start it with --speculative-algorithm and its sizes",
}
_BLIND = {
    "vllm": (
        "the server exposes no draft counters, neither in /metrics nor in its answers",
        "is it started with --disable-log-stats, or without --speculative-config? From 0.29 on "
        "--per-request-spec-decode-metrics summary shows them too",
    ),
    "sglang": (
        "the server's answers hold no speculative fields (spec_verify_ct)",
        "see in its log whether speculation is on: --speculative-algorithm",
    ),
}
_V0 = (
    "the server runs vLLM's V0 engine: it exposes means since its start alone, and its running totals stand in its log",
    "read that log with `matrix classify`, or serve the model by the V1 engine (VLLM_USE_V1=1)",
)
_SOME = "see whether /metrics still answers, and whether a balancer spreads the requests over several servers"
_CHAT = (
    "answers of the chat endpoint hold no speculative fields in this release (SGLang has them from 0.5.13 on)",
    "give --tokenizer DIR, the folder with the chat template, so that prompts go to /generate",
)


def without_speculation(record: Record) -> RunResult:
    """The result of a server that says itself that it does not speculate."""
    return nothing(record, _NO_SPEC, _START[record.cell.revision.engine])


def explained(record: Record, result: RunResult) -> RunResult:
    """`result` with the reason and the next step that fit a server which somebody else runs."""
    if result.outcome is Outcome.MEASURED_NOTHING and result.counters.steps != 0:
        return nothing(record, *_blind(record))
    if result.outcome is Outcome.INFRA and result.failure is not None:
        hint = "probe again while nobody else uses the server, or let its answers carry counters (docs/probe.md)"
        return replace(result, failure=replace(result.failure, next_step=hint))
    return result


def nothing(record: Record, reason: str, next_step: str) -> RunResult:
    outcome = Outcome.MEASURED_NOTHING
    return record.result(outcome, reason, Failure(outcome, reason, next_step, str(outcome)))


def faulted(record: Record, error: EngineFaultError) -> RunResult:
    """The result of a probe that ended by an answer which was none; a request that was refused is no crash."""
    refused = error.fault is Fault.STATUS and error.status is not None and error.status < 500
    if error.busy:
        outcome, hint = (
            Outcome.INFRA,
            "probe again when it is less busy, or past the limit before it",
        )
    elif refused:
        outcome, hint = Outcome.CONFIG_ERROR, "see what it says; --max-tokens asks for shorter answers"
    else:
        outcome, hint = error.outcome, "see its log"
    hint = error.hint or hint
    result = record.result(outcome, error.cause, Failure(outcome, error.cause, hint, f"seen-{outcome}"))
    return replace(result, samples=tuple(record.samples))


def _blind(record: Record) -> tuple[str, str]:
    if record.resolved.get("engine") == "V0":
        return _V0
    workload = record.cell.workload
    at_chat = workload.kind in (SERVER_TEMPLATE, IMAGE) and not record.cell.target.path
    if at_chat and record.cell.revision.engine == "sglang":
        chats = {prompt.id for prompt in workload.prompts if prompt.chat}
        if all((s.counters.steps is None) == (s.prompt_id in chats) for s in record.samples):
            return _CHAT
    counted = sum(s.counters.steps is not None for s in record.samples)
    if counted:
        return f"draft counters came for {counted} of {len(record.samples)} prompts alone", _SOME
    return _BLIND[record.cell.revision.engine]
