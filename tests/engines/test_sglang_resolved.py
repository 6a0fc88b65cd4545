"""What SGLang settled on and how it failed, read from its log and its settings page."""

import json

import pytest

from matrix.core.outcome import Outcome
from matrix.core.ports import ServerExit
from matrix.engines.registry import adapter_for

ADAPTER = adapter_for("sglang")

LOG = (
    "[2026-01-01 00:00:00] server_args=ServerArgs(model_path='/a, b=1', speculative_algorithm='EAGLE3', "
    "speculative_num_steps=4, speculative_eagle_topk=1, speculative_num_draft_tokens=24, attention_backend=None, "
    "tp_size=2, api_key='sk-secret')\n"
)
ADJUSTED = "speculative_num_draft_tokens is adjusted to speculative_num_steps + 1 when speculative_eagle_topk == 1\n"


def test_what_the_engine_settled_on_is_read_from_its_log() -> None:
    found = ADAPTER.resolved(ADJUSTED + LOG)
    assert (found["method"], found["k"], found["topk"], found["draft_tokens"]) == ("eagle3", 4, 1, 5)
    assert (found["tensor_parallel_size"], found["attention_backend"]) == (2, None)
    assert "sk-secret" not in json.dumps(found)
    assert ADAPTER.resolved(LOG)["draft_tokens"] == 24


def test_the_settings_page_outranks_the_log_and_leaks_nothing() -> None:
    page = {"speculative_num_draft_tokens": 24, "version": "0.5.18", "api_key": "sk-secret"}
    states = {"internal_states": [{"speculative_num_draft_tokens": 5, "attention_backend": "triton"}]}
    found = ADAPTER.resolved(LOG, json.dumps(page | states))
    assert (found["draft_tokens"], found["version"], found["attention_backend"]) == (5, "0.5.18", "triton")
    assert "sk-secret" not in json.dumps(found)


@pytest.mark.parametrize("page", ["", "[]", "{", '"x"', '{"internal_states": [3]}'])
def test_a_broken_settings_page_tells_nothing(page: str) -> None:
    assert ADAPTER.resolved("no such line", page) == {}


def test_a_baseline_settles_on_no_method() -> None:
    assert ADAPTER.resolved("server_args=ServerArgs(speculative_algorithm=None, tp_size=1)")["method"] == "none"


@pytest.mark.parametrize(
    ("line", "outcome", "signature"),
    [
        ("RuntimeError: Cannot find any model weights with `/m/draft`", Outcome.LOAD_CRASH, "weights-missing"),
        (
            "launch_server.py: error: ambiguous option: --cuda-graph-max-bs could match",
            Outcome.CONFIG_ERROR,
            "unknown-flag",
        ),
        (
            "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
            Outcome.OOM,
            "pool-memory",
        ),
    ],
)
def test_failures_are_named(line: str, outcome: Outcome, signature: str) -> None:
    log = f"Scheduler hit an exception: Traceback (most recent call last):\n  File x\n{line}\nReceived sigquit\n"
    failure = ADAPTER.classify(log, served=False, exit_=ServerExit(1))
    assert (failure.outcome, failure.signature) == (outcome, signature)
