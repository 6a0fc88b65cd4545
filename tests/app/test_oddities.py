"""Which silent failures are named, and from which numbers."""

from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.bench import Quiet
from matrix.app.oddities import oddities
from matrix.app.record import Record
from matrix.core.counters import Counters, combine
from matrix.core.recipe import Recipe
from matrix.core.result import POOLED, Sample, Uptime
from matrix.core.spec import Method, SpecConfig
from tests.app.build import cell

SPEC = SpecConfig("eagle3", Method.EAGLE3, None, 3)


def sample(name: str, steps: int = 20, accepted: int = 30, proposed: int | None = None, *flags: str) -> Sample:
    counters = Counters(steps, 3 * steps if proposed is None else proposed, accepted, None, steps, steps + accepted + 1)
    return Sample(name, "code", 0, 1, counters, 1.0, "some text", "hash", flags=flags)


def record(*samples: Sample, spec: SpecConfig = SPEC, uptime: Uptime | None = None, **resolved: object) -> Record:
    made = Record("run", replace(cell(), spec=spec), Recipe("r", ()), Quiet(), Path("log"))
    made.samples, made.uptime, made.resolved = list(samples), uptime, dict(resolved)
    return made


def named(of: Record) -> dict[str, str]:
    return {str(flag): text for flag, text in oddities(of, combine(s.counters for s in of.samples))}


def test_ordinary_numbers_are_not_odd() -> None:
    assert named(record(sample("a"), sample("b"), k=3)) == {}


@pytest.mark.parametrize(
    ("accepted", "flag"), [(0, "never-accepted"), (60, "always-accepted"), (61, "above-k"), (59, None), (1, None)]
)
def test_acceptance_at_its_limits(accepted: int, flag: str | None) -> None:
    assert list(named(record(sample("a", 20, accepted)))) == ([flag] if flag else [])


def test_the_limit_is_the_k_that_the_engine_settled_on() -> None:
    found = named(record(sample("a", 20, 40, 40), k=2))
    assert list(found) == ["always-accepted", "other-settings"]
    assert found["other-settings"] == "the engine settled on k 2 where 3 was asked for"


def test_loops_that_raise_acceptance_are_told_with_both_numbers() -> None:
    looping = [sample(f"l{i}", 10, 28, 30, "loops") for i in range(2)]
    found = named(record(*looping, *(sample(f"s{i}", 20, 20) for i in range(4))))
    assert found["loops"] == (
        "2 of 6 texts repeat themselves where the baseline's do not, which raises acceptance: 3.80 in them, "
        "2.00 in the others"
    )


def test_loops_that_raise_nothing_are_only_loops() -> None:
    found = named(record(sample("l", 20, 10, 60, "loops"), sample("s", 20, 20)))
    assert found["loops"] == "1 of 2 texts repeat themselves where the baseline's do not"


def test_one_loop_among_many_is_told_at_its_prompt_only() -> None:
    assert named(record(sample("l", 20, 30, 60, "loops"), *(sample(f"s{i}") for i in range(9)))) == {}


def test_loops_counted_together_have_no_numbers_of_their_own() -> None:
    silent = Counters(requests=0)
    loops = [replace(sample(f"l{i}", 10, 20, 30, "loops"), counters=silent) for i in range(3)]
    whole = replace(sample(POOLED, 30, 60), text="")
    assert named(record(*loops, whole))["loops"] == "3 of 3 texts repeat themselves where the baseline's do not"


def test_fewer_drafts_a_step_than_k() -> None:
    assert named(record(sample("a", 20, 20, 40)))["other-settings"] == (
        "2.00 drafts a step were proposed where k = 3 was asked for"
    )
    assert named(record(sample("a", 100, 100, 295))) == {}


@pytest.mark.parametrize(
    "spec", [replace(SPEC, topk=4), replace(SPEC, method=Method.NGRAM), replace(SPEC, k=None), replace(SPEC, topk=2)]
)
def test_trees_and_lookup_propose_other_numbers_by_nature(spec: SpecConfig) -> None:
    assert "other-settings" not in named(record(sample("a", 20, 20, 140), spec=spec))


def test_drift_is_told_with_its_size_and_its_windows() -> None:
    some = Counters(10, 30, 10, None, 10, 21)
    aged = Uptime(10, 40, some, some, -0.112, -0.12, -0.1, True)
    found = named(record(sample("a"), uptime=aged))
    assert found["drift"].startswith("the accept length fell by 11.2 % while the server ran: the last 1 of 10 minutes")
    assert named(record(sample("a"), uptime=replace(aged, drift=False))) == {}
