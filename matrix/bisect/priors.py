"""How likely a change is the culprit before anything is run, from the files that it touches.

The weights are a judgement, not a measurement: a change to speculative or model code is a few times as likely as
another change to code that runs, and one to documentation or tests alone can hardly be it. They only order the search;
an answer outweighs them soon.
"""

import re
from collections.abc import Iterable

PLAIN, LIKELY, IMPLAUSIBLE = 1.0, 4.0, 0.05

_LIKELY = re.compile(
    r"spec(?:ulative|_decode)|eagle|medusa|\bmtp\b|ngram|draft|rejection_sampl|models?/|attention|cuda_graph|sampler"
    r"|kv_cache|scheduler|model_runner",
    re.IGNORECASE,
)
_QUIET = re.compile(
    r"^(?:docs?/|tests?/|benchmarks?/|examples?/|\.github/|\.buildkite/|\.gitignore$|LICENSE|.*\.(?:md|rst|txt)$)"
    r"|/tests?/|(?:^|/)test_[^/]*\.py$",
    re.IGNORECASE,
)
_PINS = re.compile(r"(?:^|/)requirements[^/]*\.txt$|(?:^|/)requirements/")


def plausible(paths: Iterable[str]) -> bool:
    """False when a change touches nothing that runs: documentation, tests, benchmarks, CI. True where none is known."""
    touched = list(paths)
    return not touched or any(not _QUIET.search(path) or _PINS.search(path) for path in touched)


def weight(paths: Iterable[str]) -> float:
    """The prior weight of a change that touches `paths`."""
    touched = list(paths)
    if not plausible(touched):
        return IMPLAUSIBLE
    return LIKELY if any(_LIKELY.search(path) and not _QUIET.search(path) for path in touched) else PLAIN
