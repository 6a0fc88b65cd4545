"""Scripted engines, and probes pointed at them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from matrix.core.model import Model
from matrix.core.recipe import CounterMap
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.probes.client import Client, Rendered
from matrix.probes.probe import Probe
from tests.fakes.engine import FakeEngine, Script

NAMES = CounterMap(
    steps="vllm:spec_decode_num_drafts_total",
    proposed="vllm:spec_decode_num_draft_tokens_total",
    accepted="vllm:spec_decode_num_accepted_tokens_total",
    per_position="vllm:spec_decode_num_accepted_tokens_per_pos_total",
    decode_steps="vllm:inter_token_latency_seconds_count",
    completion_tokens="vllm:generation_tokens_total",
    per_request=True,
)
EAGLE3 = SpecConfig("eagle3", Method.EAGLE3, Model("head", "/models/head"), 3)
NGRAM = SpecConfig("ngram", Method.NGRAM, None, 3)

Start = Callable[..., FakeEngine]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts engines with the given script fields; `spec=False` for a baseline."""
    with ExitStack() as stack:

        def go(*, spec: bool = True, **script: object) -> FakeEngine:
            return stack.enter_context(FakeEngine(Script(**script), spec=spec))  # type: ignore[arg-type]

        yield go


def client_of(engine: FakeEngine, timeout_s: float = 5.0) -> Client:
    return Client(engine.url, engine.name, timeout_s=timeout_s, quick_s=2.0)


def workload_of(prompts: int = 4, tokens: int = 40, **options: int) -> Workload:
    texts = tuple(Prompt(f"p{i}", "code" if i % 2 else "chat", f"prompt number {i}") for i in range(prompts))
    return Workload("small", texts, tokens, **options)


def probe_of(
    engine: FakeEngine,
    workload: Workload | None = None,
    spec: SpecConfig | None = None,
    names: CounterMap = NAMES,
    settle_s: float = 1.0,
) -> Probe:
    chosen = spec or (EAGLE3 if engine.script.acceptance else BASELINE)
    return Probe(
        client_of(engine), workload or workload_of(), lambda p: Rendered(p.text), names, chosen, settle_s=settle_s
    )
