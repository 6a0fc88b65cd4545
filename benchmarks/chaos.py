"""Kills of workers, server and database at random moments of nights on a scripted engine: what is lost, doubled, left.

It needs the tests' scripted engine, so it runs in a checkout. MATRIX_CHAOS_SEED chooses other moments; a run that was
stopped goes on when it is called again with the same number and seed.
"""

import os
import sys

KILLS = 200


def main(kills: int = KILLS) -> None:
    """Carry them out, print each, then a table; ends with exit code 1 when anything did not hold."""
    from tests.chaos.battle import battle  # with pytest and more, which no other benchmark needs

    faults = battle(kills, int(os.environ.get("MATRIX_CHAOS_SEED", "1")))
    for fault in faults:
        print(f"FAULT {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
