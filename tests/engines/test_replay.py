"""Recorded conversations of every shape give the lengths worked out by hand, to the second decimal."""

from dataclasses import dataclass, replace

import pytest

from matrix.core.cell import Cell
from matrix.core.counters import accept_length, combine, tokens_per_step
from matrix.core.model import Model
from matrix.core.recipe import CounterMap
from matrix.core.result import Sample
from matrix.core.revision import Revision
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.engines.registry import adapter_for
from matrix.plan.expand import expand
from matrix.probes.accept import run_probe
from matrix.probes.client import Client, Rendered
from matrix.probes.probe import Probe
from tests.fakes import conversation
from tests.fakes.conversation import Turn
from tests.fakes.replay import Replay, ReplayGenerate
from tests.plan.build import config, inputs

EAGLE3 = SpecConfig("head", Method.EAGLE3, Model("head", "/h"), 3)
SMALL = SpecConfig("small", Method.DRAFT_MODEL, Model("small", "/s"), 3)
LOOKUP = SpecConfig("lookup", Method.NGRAM, None, 3)


@dataclass(frozen=True)
class Shape:
    """What was said, and the accept lengths in it: by prompt and pooled, None where there is none."""

    spec: SpecConfig
    turns: list[Turn]
    lengths: list[str]
    pooled: str


# Steps 12, 10, 21; accepted 3+4+3, 2+4+12, 1: 1+10/12, 1+18/10, 1+1/21, together 1+29/43. The first turn's last step
# accepted one token more than was shown.
TURNS = [Turn((6, 3, 2, 1), 22), Turn((2, 2, 2, 4), 29), Turn((20, 1, 0, 0), 23)]
HEALTHY = Shape(EAGLE3, TURNS, ["1.83", "2.80", "1.05"], "1.67")
DRAFTED = Shape(SMALL, [Turn((0, 0, 0, 8), 32), Turn((3, 2, 0, 4), 24)], ["4.00", "2.56"], "3.24")
BROKEN = Shape(EAGLE3, [Turn((31, 0, 0, 0), 32), Turn((15, 0, 0, 0), 16)], ["1.00", "1.00"], "1.00")
NONE = Shape(BASELINE, [Turn(None, 32), Turn(None, 16)], ["None", "None"], "None")
# 12 steps with a draft and 8 without show 31 tokens, 10 and 30 show 59: 30/20, 58/40, together 88/60.
SEARCHED = Shape(LOOKUP, [Turn((6, 3, 2, 1), 31, 8), Turn((2, 2, 2, 4), 59, 30)], ["1.50", "1.45"], "1.47")
SHAPES = {"eagle3": HEALTHY, "draft": DRAFTED, "broken": BROKEN, "nospec": NONE, "ngram": SEARCHED}


def samples_of(shape: Shape, engine: str, names: CounterMap, *, per_request: bool = True) -> list[Sample]:
    if engine == "sglang":
        server: Replay = ReplayGenerate(conversation.sglang(shape.turns))
    else:
        server = Replay(conversation.vllm(shape.turns, per_request=per_request))
    workload = Workload("replayed", tuple(Prompt(f"p{i}", "code", "x") for i in range(len(shape.turns))), 64)
    with server:
        client = Client(server.url, conversation.MODEL, dialect=names.dialect)
        return run_probe(Probe(client, workload, lambda p: Rendered(p.text), names, shape.spec, settle_s=0.5))


def names_of(shape: Shape, engine: str) -> CounterMap:
    version = {"sglang": "0.5.15.post1", "vllm": "0.32.0"}[engine]
    base: Cell = expand(config(), inputs(["1.0.0"])).cells[0]
    cell = replace(base, revision=Revision(engine, version), spec=shape.spec, install="site", site="/s")
    return adapter_for(engine).counters(cell)


def shown(length: float | None) -> str:
    return "None" if length is None else f"{length:.2f}"


def check(shape: Shape, samples: list[Sample]) -> None:
    draftless = shape.spec.method.counts_draftless_steps
    assert [shown(accept_length(s.counters, draftless=draftless)) for s in samples] == shape.lengths
    assert shown(accept_length(combine(s.counters for s in samples), draftless=draftless)) == shape.pooled


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_its_lengths(engine: str, name: str) -> None:
    shape = SHAPES[name]
    check(shape, samples_of(shape, engine, names_of(shape, engine)))


@pytest.mark.parametrize("name", SHAPES)
def test_counter_differences_give_the_same_where_answers_carry_none(name: str) -> None:
    shape = SHAPES[name]
    names = replace(names_of(shape, "vllm"), per_request=False)
    check(shape, samples_of(shape, "vllm", names, per_request=False))


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_a_broken_head_is_exactly_one_and_says_so(engine: str) -> None:
    samples = samples_of(BROKEN, engine, names_of(BROKEN, engine))
    assert {accept_length(s.counters) for s in samples} == {1.0}
    assert all("exactly-one" in s.flags for s in samples)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_a_baseline_has_no_counters_of_drafts(engine: str) -> None:
    samples = samples_of(NONE, engine, names_of(NONE, engine))
    assert {(s.counters.steps, s.counters.accepted, s.counters.per_position) for s in samples} == {(None, None, None)}


def test_tokens_past_the_end_show_in_the_cross_check_and_do_not_correct_the_value() -> None:
    first = samples_of(HEALTHY, "vllm", names_of(HEALTHY, "vllm"))[0]
    assert accept_length(first.counters) == pytest.approx(1 + 10 / 12)
    assert first.cross_check is not None
    assert tokens_per_step(first.cross_check) == pytest.approx(21 / 12)


def test_counters_alone_overstate_lookup() -> None:
    total = combine(s.counters for s in samples_of(SEARCHED, "vllm", names_of(SEARCHED, "vllm")))
    assert accept_length(total) == pytest.approx(1 + 28 / 22)
    assert accept_length(total, draftless=True) == pytest.approx(88 / 60)
