"""Whatever an engine answers becomes a completion or one fault with one clear line."""

import socket

import pytest

from matrix.core.errors import ConfigError
from matrix.core.outcome import Outcome
from matrix.probes import transport
from matrix.probes.client import Client, Rendered
from matrix.probes.faults import EngineFaultError, Fault
from tests.probes.conftest import Start, client_of

PROMPT = Rendered("def f(")


def test_completion_is_asked_greedily_and_of_fixed_length(start: Start) -> None:
    engine = start()
    answer = client_of(engine).complete(PROMPT, 16)
    assert answer.completion_tokens == 16 and len(answer.text.split()) == 16 and answer.seconds > 0
    (sent,) = engine.requests
    expected = {"model": "tiny", "prompt": "def f(", "max_tokens": 16, "temperature": 0, "ignore_eos": True, "seed": 0}
    assert expected.items() <= sent.items()
    assert sent["add_special_tokens"] is True and "logprobs" not in sent


def test_rendered_special_tokens_are_not_added_twice(start: Start) -> None:
    engine = start()
    client_of(engine).complete(Rendered("<s>hi", special_tokens=False), 4)
    assert engine.requests[0]["add_special_tokens"] is False


@pytest.mark.parametrize(
    ("mode", "fault", "outcome", "said"),
    [
        ("reset", Fault.BROKEN, Outcome.SERVE_CRASH, "connection broke"),
        ("hang", Fault.TIMEOUT, Outcome.HANG, "within 0.4 s"),
        ("drip", Fault.TIMEOUT, Outcome.HANG, "within 0.4 s"),
        ("status", Fault.STATUS, Outcome.SERVE_CRASH, 'HTTP 500: {"error": "EngineCore'),
        ("garbage", Fault.BAD_JSON, Outcome.MEASURED_NOTHING, "gateway says hello"),
        ("nested", Fault.BAD_JSON, Outcome.MEASURED_NOTHING, "[[["),
        ("wrong-shape", Fault.BAD_SHAPE, Outcome.MEASURED_NOTHING, "single choice"),
        ("empty", Fault.EMPTY, Outcome.MEASURED_NOTHING, "nothing was generated"),
        ("count", Fault.BAD_COUNT, Outcome.MEASURED_NOTHING, "21 tokens were reported, 16 were asked for"),
    ],
)
def test_each_bad_answer_is_one_fault(start: Start, mode: str, fault: Fault, outcome: Outcome, said: str) -> None:
    client = client_of(start(mode=mode), timeout_s=0.4 if fault is Fault.TIMEOUT else 20)
    with pytest.raises(EngineFaultError) as caught:
        client.complete(PROMPT, 16)
    assert (caught.value.fault, caught.value.outcome) == (fault, outcome)
    assert said in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_endless_body_is_cut(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "BODY_LIMIT", 2 * 2**20)
    with pytest.raises(EngineFaultError, match="larger than 2 MiB") as caught:
        client_of(start(mode="huge")).complete(PROMPT, 16)
    assert caught.value.fault is Fault.TOO_LARGE


def test_nobody_listening_is_refused() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EngineFaultError, match="refused") as caught:
        Client(f"http://127.0.0.1:{port}", "tiny").models()
    assert caught.value.fault is Fault.REFUSED


def test_proxy_of_the_environment_is_not_asked_for_this_machine(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert client_of(start()).models() == ["tiny"]


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://host", "http://", "http://host:port", "http://[::1"])
def test_what_is_no_address_is_the_users_error(url: str) -> None:
    with pytest.raises(ConfigError, match="no server address"):
        Client(url, "tiny")


def test_missing_metrics_page_is_none(start: Start) -> None:
    assert client_of(start(mode="no-metrics")).scrape() is None


def test_logprobs_are_read(start: Start) -> None:
    answer = client_of(start(gap=1.5)).complete(PROMPT, 6, logprobs=3)
    assert "".join(a.token for a in answer.alternatives) == answer.text
    first = answer.alternatives[0]
    assert first.logprob == -0.1 and [p for _, p in first.top] == [-0.1, -1.6, -5.6]
