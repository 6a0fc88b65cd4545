"""Four simulated days on eight GPUs, with two bisections open: what `python -m benchmarks nights` does for thirty."""

from benchmarks import nights
from benchmarks.nights_world import DAY

TARGETS, SPECS = 3, 2
CELLS = 2 * TARGETS * SPECS
"""Of the two releases that are there at first."""


def day(moment: float) -> int:
    return int((moment - nights.BEGIN) // DAY)


def test_nights_keep_their_limits_and_measure_each_cell_once() -> None:
    # So few cells take no longer than the build that they wait for: how idle the GPUs are says nothing here.
    found = nights.simulate(4, TARGETS, SPECS, hours=8, gpu_hours=0.4, most_idle=1.0, away=(1, 2))
    assert not found.faults
    first, caught_up, last = found.nights
    assert 0 < first.runs < CELLS and "GPU hours are spent" in first.note
    assert [day(caught_up.slot), day(caught_up.begun)] == [2, 3] == [day(last.slot) - 1, day(last.begun)]
    assert found.bisections == TARGETS * (SPECS - 1)
