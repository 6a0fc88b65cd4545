"""A page of the regressions is the same part of the whole list, and what is acknowledged is found without all of it."""

import pytest

from matrix.app.acks import acks_for
from matrix.app.attribute import acknowledged_flips, listed, regressions
from matrix.core.ack import Scope
from matrix.core.spec import Method
from matrix.store import Store
from tests.app.stored import cell, judged, served

NOW = 5000.0


@pytest.fixture
def fallen(stored: Store) -> Store:
    """Two cells fell together, and one of them again two releases later."""
    for method, draft in ((Method.EAGLE3, "head"), (Method.EAGLE, "older")):
        for n, length in enumerate((2.5, 1.6, 2.5, 1.6)):
            if n < 2 or method is Method.EAGLE3:
                served(stored, cell(f"1.{n}", method=method, draft=draft), length, at=1000 * (n + 1))
    return judged(stored)


def test_pages_put_together_are_the_list(fallen: Store) -> None:
    whole = regressions(fallen, None, now=NOW)
    pages = [listed(fallen, None, lambda flip: True, first, 1, now=NOW) for first in range(4)]
    assert len(whole) == 3 and [item for page in pages for item in page.items] == whole
    assert {page.total for page in pages} == {3}
    assert listed(fallen, None, lambda flip: flip.to_revision == "1.3", 0, 5, now=NOW).items == whole[:1]


@pytest.mark.parametrize("scope", list(Scope))
def test_what_is_acknowledged_is_what_the_whole_list_says(fallen: Store, scope: Scope) -> None:
    assert acknowledged_flips(fallen, NOW) == set()
    item = next(found for found in regressions(fallen, now=NOW) if found.method == "eagle")
    for ack in acks_for([str(item.flip_id)], [item], scope=scope, reason="known", until=NOW + 10, now=NOW):
        fallen.acks.add(ack)
    found = acknowledged_flips(fallen, NOW + 1)
    assert item.flip_id in found
    assert found == {other.flip_id for other in regressions(fallen, now=NOW + 1) if other.ack}
    assert acknowledged_flips(fallen, NOW + 11) == set()
