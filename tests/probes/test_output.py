"""Where greedy texts part, and when that is wrong output."""

from dataclasses import replace

import pytest
from scipy.stats import binom

from matrix.core.counters import Counters
from matrix.core.result import Alternatives, Divergence, Sample
from matrix.probes.accept import run_probe
from matrix.probes.output import (
    first_divergence,
    is_wrong,
    needed,
    noise_gaps,
    noise_limit,
    with_alternatives,
    wrong_prompts,
)
from tests.probes.conftest import Start, probe_of, workload_of


def baseline(*tokens: tuple[str, dict[str, float]], text: str | None = None) -> Sample:
    """A baseline whose tokens have log-probability -0.1 and the given other alternatives."""
    rows = tuple(Alternatives(t, -0.1, ((t, -0.1), *others.items())) for t, others in tokens)
    joined = "".join(t for t, _ in tokens)
    return Sample("p", "code", 0, 1, Counters(), 1.0, joined if text is None else text, "", alternatives=rows)


DEF = baseline(("def", {"class": -2.1}), (" f", {" g": -0.4, " fo": -3.1}), ("(", {")": -5.1, "(self": -0.9}))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("class f(", Divergence(0, 2.0, False)),
        ("def g(", Divergence(1, 0.3, False)),
        ("def fo(", Divergence(1, 3.0, False)),
        ("def f)", Divergence(2, 5.0, False)),
        ("def f[0]", Divergence(2, 5.0, True)),
        ("import f", Divergence(0, 2.0, True)),
    ],
)
def test_gap_is_between_the_two_tokens_at_the_first_difference(other: str, expected: Divergence) -> None:
    found = first_divergence(DEF, other)
    assert found == replace(expected, gap=pytest.approx(expected.gap))


def test_equal_texts_do_not_diverge() -> None:
    assert first_divergence(DEF, "def f(") is None


@pytest.mark.parametrize("other", ["def f", "def f(x", "def"])
def test_a_text_that_begins_the_other_hides_its_token(other: str) -> None:
    found = first_divergence(DEF, other)
    assert found is not None and found.gap is None and not found.at_least


def test_longer_token_chosen_earlier_is_found() -> None:
    tokens = baseline(("re", {"return": -0.6}), ("turns", {}), ("!", {}))
    assert first_divergence(tokens, "return x") == Divergence(0, pytest.approx(0.5), False)


def test_the_same_characters_cut_otherwise_are_the_near_tie_that_they_were() -> None:
    tokens = baseline(("x", {}), ("\n\n", {"\n": -0.16}), ("def", {"class": -9.5}))
    assert first_divergence(tokens, "x\n\nclass") == Divergence(1, pytest.approx(0.06), False)
    far = baseline(("x", {}), ("\n\n", {"\t": -0.16}), ("def", {"class": -9.5}))
    assert first_divergence(far, "x\n\nclass") == Divergence(2, pytest.approx(9.4), False)


def test_without_alternatives_only_the_fact_is_known() -> None:
    bare = replace(DEF, alternatives=())
    assert first_divergence(bare, "def g(") == Divergence(None, None, False)
    assert first_divergence(bare, "def f(") is None


def test_parts_of_characters_leave_the_gap_unknown() -> None:
    tokens = baseline(("naïve", {"\ufffd": -0.2}), (" caf", {"\ufffd": -0.3}))
    found = first_divergence(tokens, "naïve—")
    assert found is not None and found.token_index == 1 and found.gap is None


def test_noise_is_one_gap_a_prompt_and_zero_where_passes_agree() -> None:
    assert noise_gaps([DEF, replace(DEF, text="def g("), replace(DEF, alternatives=())]) == pytest.approx([0.0, 0.3])


def test_noise_limit_is_the_999th_of_a_thousand() -> None:
    assert noise_limit([]) == 0
    assert noise_limit([float(i) for i in range(1, 1001)]) == 999
    assert noise_limit([0.0] * 15 + [0.8]) == 0.8


def parted(*gaps: float | None) -> dict[str, Divergence | None]:
    return {f"p{i}": None if gap is None else Divergence(3, gap, False) for i, gap in enumerate(gaps)}


def test_near_ties_are_never_wrong_however_many() -> None:
    all_differ = parted(*[0.49] * 16)
    assert wrong_prompts(all_differ, []) == [] and not is_wrong(all_differ, [])


def test_one_prompt_just_above_the_limit_does_not_condemn_a_run() -> None:
    run = parted(0.6, *[None] * 15)
    assert wrong_prompts(run, [0.0] * 16) == ["p0"] and not is_wrong(run, [0.0] * 16)


def test_gaps_that_the_baseline_has_with_itself_are_noise() -> None:
    run = parted(*[1.1] * 16)
    assert is_wrong(run, [0.0] * 16) and not is_wrong(run, [0.0] * 15 + [1.2])


def test_prompts_whose_gap_is_unknown_count_neither_way() -> None:
    run = parted(*[3.0] * 3) | {f"q{i}": Divergence(None, None, False) for i in range(200)}
    assert is_wrong(run, [])


@pytest.mark.parametrize(("compared", "number"), [(0, 2), (1, 2), (2, 2), (16, 3), (64, 5), (200, 9)])
def test_needed_follows_the_binomial(compared: int, number: int) -> None:
    assert needed(compared) == number
    assert binom.sf(number - 1, compared, 0.01) < 0.001
    assert number == 2 or binom.sf(number - 2, compared, 0.01) >= 0.001


@pytest.mark.parametrize(("gap", "wrong"), [(3.0, True), (0.2, False)])
def test_swapped_tokens_are_wrong_by_their_gap_and_not_by_their_text(start: Start, gap: float, wrong: bool) -> None:
    workload = workload_of(8, 20)
    probe = probe_of(start(spec=False, gap=gap), workload)
    reference = with_alternatives(probe, run_probe(probe))
    drafted = run_probe(probe_of(start(texts="swapped", gap=gap), workload))
    found = {s.prompt_id: first_divergence(b, s.text) for b, s in zip(reference, drafted, strict=True)}
    assert {d.token_index for d in found.values() if d} == {10}
    assert all(d is not None and d.gap == pytest.approx(gap) for d in found.values())
    assert noise_gaps(reference) == [0.0] * 8
    assert is_wrong(found, noise_gaps(reference)) is wrong


def test_second_pass_asks_the_first_repetition_only(start: Start) -> None:
    engine = start(spec=False)
    probe = probe_of(engine, workload_of(3, 10, repetitions=2))
    samples = with_alternatives(probe, run_probe(probe))
    assert engine.served == 9
    assert [len(s.alternatives) for s in samples] == [10, 10, 10, 0, 0, 0]


def test_engine_that_dies_of_logprobs_spoils_no_sample(start: Start) -> None:
    probe = probe_of(start(spec=False, mode="dies", after=6), workload_of(4, 10))
    taken = run_probe(probe)
    samples = with_alternatives(probe, taken)
    assert [replace(s, alternatives=(), flags=()) for s in samples] == taken
    assert [(len(s.alternatives), s.flags) for s in samples] == [(10, ())] * 2 + [(0, ("no-logprobs",))] * 2
    assert len(noise_gaps(samples)) == 2
