"""Commands that a person may run next. Every part is quoted for the shell, whatever a name holds."""

import glob
import shlex

from matrix.core.state import State
from matrix.store.views import FlipView

REGRESS_BY_STATE = {
    State.BROKEN: "works",
    State.DEGRADED: "accept",
    State.COLLAPSED: "accept",
    State.SLOWER: "slower",
    State.WRONG_OUTPUT: "wrong-output",
}
LAST_GOOD = "last-good"
"""As a good revision: the bisection looks for it."""


def bisect_flip(flip: FlipView) -> str | None:
    """`matrix bisect run ...` between a flip's two revisions; None when the later one is not bad."""
    regress = REGRESS_BY_STATE.get(state_of(flip.after))
    if regress is None:
        return None
    return bisect(
        engine=flip.engine,
        good=flip.from_revision or LAST_GOOD,
        bad=flip.to_revision,
        regress=regress,
        target=flip.target,
        draft=flip.draft,
        method=flip.method,
    )


def bisect(*, engine: str, good: str, bad: str, regress: str, target: str, draft: str | None, method: str) -> str:
    """The command that searches the first bad revision in (good, bad]."""
    options = {"engine": engine, "good": good, "bad": bad, "regress": regress, "target": target}
    options |= {"draft": draft} if draft else {}
    options |= {"method": method}
    return " ".join(["matrix bisect run", *(f"--{key} {shlex.quote(value)}" for key, value in options.items())])


def repeat(*, engine: str, version: str, target: str, spec: str, workload: str) -> str:
    """`matrix sweep --force ...` that selects exactly this cell by its names, which are wildcards there."""
    names = {"engine": engine, "version": version, "target": target, "spec": spec, "workload": workload}
    selectors = [f"{field}={glob.escape(name)}" for field, name in names.items()]
    return shlex.join(["matrix", "sweep", "--force", *selectors])


def state_of(word: str) -> State:
    """The state that is spelled so; unknown for any other word."""
    return next((state for state in State if state == word), State.UNKNOWN)
