"""`make bench [ARGS=NAME...]`: run benchmarks by name, all without one. `NAME=10000` sets a size, where it has one."""

import sys

from benchmarks import bisection, chaos, claims, classify_speed, judge, judge_one, load, nights, overhead, queue_cost

BENCHMARKS = {
    "bisection": bisection.main,
    "chaos": chaos.main,
    "claims": claims.main,
    "classify": classify_speed.main,
    "overhead": overhead.main,
    "judge": judge.main,
    "judge-one": judge_one.main,
    "judge-all": judge_one.judge_everything,
    "load": load.of_size,
    "nights": nights.main,
    "queue": queue_cost.main,
}
SIZED = {
    "bisection": bisection.main,
    "chaos": chaos.main,
    "claims": claims.main,
    "judge-one": judge_one.main,
    "judge-all": judge_one.judge_everything,
    "load": load.of_size,
    "nights": nights.main,
    "queue": queue_cost.main,
}


def main(names: list[str]) -> int:
    """Run the named benchmarks in order."""
    asked = [name.partition("=")[::2] for name in names or BENCHMARKS]
    unknown = [name for name, size in asked if name not in (SIZED if size else BENCHMARKS)]
    if unknown:
        known = ", ".join(BENCHMARKS)
        print(f"no benchmark called {', '.join(unknown)}; there are {known} ({', '.join(SIZED)}=SIZE)", file=sys.stderr)
        return 2
    for name, size in asked:
        print(f"== {name}", flush=True)
        SIZED[name](int(size)) if size else BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
