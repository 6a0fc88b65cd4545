"""The way from one environment to another: nothing lost, every environment on it accepted, as fine as can be."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from matrix.bisect.packages import ABSENT, Lock, Move, by_date, moved, moves, steps

GOOD = {"torch": "2.9", "torchvision": "0.24", "numpy": "2.2", "old": "1"}
BAD = {"torch": "2.10", "torchvision": "0.25", "numpy": "2.3", "new": "1"}


def test_what_differs_and_what_the_moves_make() -> None:
    found = moves(GOOD, BAD)
    assert [str(m) for m in found] == [
        "new absent -> 1",
        "numpy 2.2 -> 2.3",
        "old 1 -> absent",
        "torch 2.9 -> 2.10",
        "torchvision 0.24 -> 0.25",
    ]
    assert moved(GOOD, found) == BAD
    assert moves(GOOD, GOOD) == []


def test_dated_moves_come_first_and_the_others_by_version() -> None:
    asked = [Move("a", "1", "10"), Move("b", "1", "9"), Move("c", "1", "2"), Move("d", "1", ABSENT)]
    ordered = by_date(asked, {"a": "2026-03-01", "c": "2026-02-01"})
    assert [m.name for m in ordered] == ["c", "a", "d", "b"]


def together(*names: str) -> object:
    """A resolver to which these packages are all old or all new."""

    def fits(lock: Lock) -> bool:
        return len({lock.get(name) == BAD.get(name) for name in names}) <= 1

    return fits


def test_packages_that_cannot_be_apart_move_in_one_step() -> None:
    made = steps(GOOD, moves(GOOD, BAD), together("torch", "torchvision"))  # type: ignore[arg-type]
    assert [[m.name for m in step] for step in made] == [["new"], ["numpy"], ["old"], ["torch", "torchvision"]]


def test_a_package_waits_for_the_one_that_it_needs() -> None:
    def fits(lock: Lock) -> bool:
        return lock.get("new") is None or lock["torch"] == "2.10"

    made = steps(GOOD, moves(GOOD, BAD), fits)
    assert [[m.name for m in step] for step in made] == [["numpy"], ["old"], ["torch"], ["torchvision"], ["new"]]


def test_three_that_need_each_other_move_at_once() -> None:
    names = ("torch", "torchvision", "numpy")
    made = steps(GOOD, moves(GOOD, BAD), together(*names))  # type: ignore[arg-type]
    assert [sorted(m.name for m in step) for step in made] == [["new"], ["old"], sorted(names)]


NAMES = [f"p{i}" for i in range(7)]


@given(
    st.permutations(NAMES),
    st.sets(st.sampled_from(list(combinations(NAMES, 2))), max_size=8),
    st.sets(st.sampled_from([(b, a) for a, b in combinations(NAMES, 2)]), max_size=8),
)
def test_every_environment_on_the_way_is_accepted(
    order: list[str], needs: set[tuple[str, str]], more: set[tuple[str, str]]
) -> None:
    """A pair (a, b) says that the new a needs the new b."""
    pairs = needs | more

    def fits(lock: Lock) -> bool:
        return all(lock[a] == "1" or lock[b] == "2" for a, b in pairs)

    good, bad = dict.fromkeys(NAMES, "1"), dict.fromkeys(NAMES, "2")
    found = {m.name: m for m in moves(good, bad)}
    made = steps(good, [found[name] for name in order], fits)
    assert sorted(m.name for step in made for m in step) == NAMES
    here = good
    for step in made:
        here = moved(here, step)
        assert fits(here)
    assert here == bad
    if not any(_reaches(b, a, pairs) for a, b in pairs):
        assert {len(step) for step in made} == {1}, "without a circle each moves alone"


def _reaches(a: str, b: str, pairs: set[tuple[str, str]]) -> bool:
    seen, todo = {a}, [a]
    while todo:
        here = todo.pop()
        fresh = {target for source, target in pairs if source == here} - seen
        seen |= fresh
        todo += fresh
    return b in seen
