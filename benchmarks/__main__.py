"""`make bench [ARGS=NAME...]`: run benchmarks by name, all without one."""

import sys

from benchmarks import bisection, classify_speed, judge, overhead

BENCHMARKS = {
    "bisection": bisection.main,
    "classify": classify_speed.main,
    "overhead": overhead.main,
    "judge": judge.main,
}


def main(names: list[str]) -> int:
    """Run the named benchmarks in order."""
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark called {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    for name in names or list(BENCHMARKS):
        print(f"== {name}", flush=True)
        BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
