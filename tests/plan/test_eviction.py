"""What gives way to the disk budget, over random things: held ones never, and no more than is needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from matrix.plan.artifacts import ArtifactsTable
from matrix.plan.eviction import Thing, evict

HOLDS = st.sampled_from([(), (), (), ("bisection 3 is open",)])
ONE = st.tuples(st.sampled_from(["image", "log"]), st.integers(0, 50), st.integers(0, 9), HOLDS)
THINGS = st.lists(ONE, max_size=30).map(
    lambda rows: [Thing(kind, f"r{i}", size, float(at), holds) for i, (kind, size, at, holds) in enumerate(rows)]
)


@given(THINGS, st.integers(0, 100), st.integers(0, 800))
def test_held_things_stay_and_the_budget_is_met_or_its_excess_is_held(
    things: list[Thing], shared: int, budget: int
) -> None:
    found = evict(things, shared, budget)
    assert not any(t.holds for t in found.goes)
    assert sorted((*found.goes, *found.stays), key=lambda t: t.ref) == sorted(things, key=lambda t: t.ref)
    assert found.after == shared + sum(t.size for t in found.stays) == found.before - sum(t.size for t in found.goes)
    assert found.over == max(0, found.after - budget)
    if found.over:
        assert all(t.holds or t.size == 0 for t in found.stays), "what nobody holds goes before the budget is exceeded"


@given(THINGS, st.integers(0, 100), st.integers(0, 800))
def test_the_longest_unused_go_first_and_none_without_need(things: list[Thing], shared: int, budget: int) -> None:
    found = evict(things, shared, budget)
    free = [t for t in found.stays if t.size and not t.holds]
    assert all(gone.used_at <= kept.used_at for gone in found.goes for kept in free)
    if found.goes:
        assert found.after + found.goes[-1].size > budget, "the last one was needed"
        assert all(t.size for t in found.goes)


@given(THINGS, st.integers(0, 100))
def test_without_a_budget_all_stays(things: list[Thing], shared: int) -> None:
    found = evict(things, shared, None)
    assert (found.goes, found.over, len(found.stays)) == ((), 0, len(things))


def test_what_holds_most_is_told_first() -> None:
    things = [Thing("image", "a", 5, 1.0, ("x",)), Thing("image", "b", 9, 2.0, ("y",)), Thing("log", "c", 7, 3.0)]
    found = evict(things, 0, 10)
    assert [t.ref for t in found.goes] == ["c"]
    assert (found.over, [t.ref for t in found.held]) == (4, ["b", "a"])


@pytest.mark.parametrize("text", ["localhost:5000/specmatrix", "mirror:5000/a/b", "ghcr.io/me/mirror", "127.0.0.1:5/x"])
def test_places_of_a_mirror(text: str) -> None:
    assert ArtifactsTable(mirror=text).mirror == text


@pytest.mark.parametrize(
    "text", ["specmatrix", "localhost:5000", "http://localhost:5000/x", "a.b/Upper", "me/mirror", ""]
)
def test_what_is_no_place_of_a_mirror(text: str) -> None:
    with pytest.raises(ValidationError, match="no place in a registry"):
        ArtifactsTable(mirror=text)


def test_the_budget_in_bytes() -> None:
    assert (ArtifactsTable(disk_gib=1.5).disk_bytes, ArtifactsTable().disk_bytes) == (3 * 2**29, None)
