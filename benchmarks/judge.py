"""How often the judge is right: `python -m benchmarks judge`. Prints the tables of `docs/statistics.md`."""

import time

from benchmarks import judge_peers
from benchmarks.judge_data import NOISES, Kind
from benchmarks.judge_rule import Tally, tally
from matrix.stats.control import control
from matrix.stats.settings import DEFAULTS

PROMPTS, SAME, CHANGED = 64, 20_000, 4_000
DROPS = (0.05, 0.10, 1.0)
SIBLINGS = 12
SWEEP = 1000


def power_table(sibling_df: int, same: int = SAME, changed: int = CHANGED, *, each_boot: bool = False) -> str:
    """Markdown: a row for each noise between boots."""
    rows = [
        "| noise of a boot | false flags | after control | fall of 5 % | of 10 % | collapse "
        "| boots bought: no fall, 5 %, 10 % | 95 % interval at once: no fall, 5 %, 10 % | at the end |",
        "|" + " --- |" * 9,
    ]
    for noise in NOISES:
        kind = Kind(noise, each_boot=each_boot)
        none = tally(same, PROMPTS, 0.0, kind, sibling_df, DEFAULTS)
        falls = [tally(changed, PROMPTS, drop, kind, sibling_df, DEFAULTS) for drop in DROPS]
        rows.append(_row(noise, none, falls))
    return "\n".join(rows)


def _row(noise: float, none: Tally, falls: list[Tally]) -> str:
    shown = [none, *falls[:2]]
    cells = [
        f"{100 * noise:g} %",
        f"{none.bad.sum()} of {len(none.bad):,}",
        str(_controlled(none)),
        *(_percent(fall.bad.mean(), 1) for fall in falls),
        ", ".join(f"{part.bought.mean():.1f}" for part in shown),
        ", ".join(f"{100 * part.first.mean():.1f}" for part in shown) + " %",
        ", ".join(f"{100 * part.last.mean():.1f}" for part in shown) + " %",
    ]
    return "| " + " | ".join(cells) + " |"


def _controlled(none: Tally) -> int:
    """False flags that stand in sweeps of a thousand comparisons each."""
    sweeps = [slice(start, start + SWEEP) for start in range(0, len(none.p), SWEEP)]
    return sum(
        bool(bad) and q <= DEFAULTS.false_discovery
        for sweep in sweeps
        for bad, q in zip(none.bad[sweep], control(none.p[sweep].tolist()), strict=True)
    )


def _percent(share: float, digits: int) -> str:
    return f"{100 * share:.{digits}f} %"


def main() -> None:
    """Print all tables, each with its time."""
    for title, sibling_df, each_boot in (
        (f"noise measured by sibling series on {SIBLINGS} degrees of freedom", SIBLINGS, False),
        ("a series by itself, nothing measured before", 0, False),
        ("as the first, and texts part at every boot too", SIBLINGS, True),
    ):
        start = time.perf_counter()
        print(f"{PROMPTS} prompts, half of the texts parted; {title}\n")
        print(power_table(sibling_df, each_boot=each_boot))
        print(f"\n{time.perf_counter() - start:.0f} s\n", flush=True)
    judge_peers.main()


if __name__ == "__main__":
    main()
