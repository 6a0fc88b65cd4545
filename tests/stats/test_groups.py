"""One cause, one group; different causes stay apart."""

from dataclasses import replace

import pytest

from matrix.core.state import Metric, State
from matrix.stats.differences import FaultKind
from matrix.stats.groups import Member, groups

ONE = Member(
    flip_id=3,
    engine="sglang",
    revision="0.5.5",
    metric=Metric.ACCEPT_LENGTH,
    state=State.COLLAPSED,
    cause=FaultKind.ENGINE,
    target="qwen",
    draft="qwen-head",
    method="eagle3",
)
OTHER = replace(ONE, flip_id=5, target="llama", draft="llama-head", method="mtp")


def test_a_target_a_draft_or_a_method_links_and_the_lowest_number_names_the_group() -> None:
    bridge = replace(OTHER, flip_id=4, method="eagle3")
    assert groups([OTHER, ONE]) == {5: 5, 3: 3}
    assert groups([OTHER, ONE, bridge]) == {5: 3, 3: 3, 4: 3}


@pytest.mark.parametrize(
    "change",
    [
        {"engine": "vllm"},
        {"revision": "0.5.6"},
        {"metric": Metric.SPEED},
        {"state": State.DEGRADED},
        {"cause": FaultKind.SETTINGS},
        {"signature": "KeyError: t2d"},
    ],
)
def test_whatever_tells_causes_apart_keeps_flips_apart(change: dict[str, object]) -> None:
    assert groups([ONE, replace(ONE, flip_id=4, **change)]) == {3: 3, 4: 4}  # type: ignore[arg-type]


def test_one_signature_is_one_cause_however_unlike_the_cells() -> None:
    crash = {"state": State.BROKEN, "signature": "KeyError: t2d"}
    assert groups([replace(ONE, **crash), replace(OTHER, **crash)]) == {3: 3, 5: 3}  # type: ignore[arg-type]


def test_nothing_makes_no_group() -> None:
    assert groups([]) == {}
