"""A whole log of somebody's server or client as one report."""

import io

from matrix.core.about import About
from matrix.core.errors import ConfigError, Where
from matrix.core.outcome import Outcome, Tier
from matrix.core.report import Report
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.engines.classify import Report as LogTold
from matrix.engines.classify import classify_log
from matrix.engines.logabout import models_of
from matrix.engines.registry import adapter_for
from matrix.plan.matching import plain_method
from matrix.plan.specforge import state_of

_HEAD = 2**20


def report_of_log(data: bytes, file: str, about: About) -> Report:
    """What the classifier and the readers tell of the log. What the caller says goes before what the log says.

    ConfigError where neither says which engine or model it is, or the log tells of neither a length nor a failure.
    """
    told = classify_log(io.BytesIO(data), about.engine or None)
    if told.engine not in ("sglang", "vllm"):
        raise ConfigError("the log names no engine", hint="add `--engine sglang` or `--engine vllm`", where=Where(file))
    head = data[:_HEAD].decode("utf-8", "replace")
    target, draft = models_of(head)
    if not (about.target or target):
        raise ConfigError("the log names no model", hint="add `--target MODEL`", where=Where(file))
    state = _state(told)
    if state is State.UNKNOWN and told.accept_length is None:
        hint = f"`matrix classify` says: {told.reason}"
        raise ConfigError("the log tells no accept length and no failure of the engine", hint=hint, where=Where(file))
    said = adapter_for(told.engine).resolved(head)
    return Report(
        target=about.target or target,
        engine=told.engine,
        state=state,
        link=about.link,
        date=about.date,
        draft=about.draft or draft,
        method=_method(about.method or str(said.get("method") or "")),
        versions=about.versions or str(said.get("version") or ""),
        hardware=about.hardware,
        value=told.accept_length,
        k=_whole(said.get("k")),
        topk=_whole(said.get("topk")),
        draft_tokens=_whole(said.get("draft_tokens")),
        text=told.reason,
    )


def _state(told: LogTold) -> State:
    if told.outcome is Outcome.WRONG_OUTPUT:
        return State.WRONG_OUTPUT
    if told.tier is Tier.ENGINE:
        return State.BROKEN
    if told.tier is Tier.OK and told.accept_length is not None:
        return state_of(told.accept_length)
    return State.UNKNOWN


def _method(name: str) -> str:
    word = plain_method(name)
    return next((m.value for m in Method if plain_method(m.value) == word), Method.UNKNOWN.value)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
