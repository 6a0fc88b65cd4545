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


def bisect_flip(flip: FlipView) -> str | None:
    """`matrix bisect run ...` between a flip's two revisions; None when the later one is not bad."""
    regress = REGRESS_BY_STATE.get(state_of(flip.after))
    if regress is None:
        return None
    return bisect(
        engine=flip.engine,
        good=flip.from_revision or None,
        bad=flip.to_revision,
        regress=regress,
        target=flip.target,
        draft=flip.draft,
        method=flip.method,
        spec=flip.spec,
        workload=flip.workload,
    )


def bisect(
    *,
    engine: str,
    good: str | None,
    bad: str,
    regress: str,
    target: str,
    draft: str | None,
    method: str,
    spec: str = "",
    workload: str = "",
) -> str:
    """The command that searches the first bad revision in (good, bad]; without `good` it walks back to a good one.

    Spec config and workload are named, so that the command chooses one cell whatever else the config holds.
    """
    named = {"engine": engine, "good": good, "bad": bad, "regress": regress, "target": target, "draft": draft}
    named |= {"method": method, "spec": spec, "workload": workload}
    options = {name: value for name, value in named.items() if value}
    return " ".join(["matrix bisect run", *(f"--{key} {shlex.quote(value)}" for key, value in options.items())])


def bisect_packages(good_run: str, bad_run: str, regress: str, revision: str = "") -> str:
    """The command that searches the packages between the environments of two runs; their cell is the runs' own."""
    words = ["matrix", "bisect", "packages", "--good", good_run, "--bad", bad_run, "--regress", regress]
    return shlex.join([*words, *(["--revision", revision] if revision else [])])


def repeat(*, engine: str, revision: str, target: str, spec: str, workload: str) -> str:
    """`matrix sweep --force ...` that selects exactly this cell by its names, which are wildcards there."""
    names = {"engine": engine, "revision": revision, "target": target, "spec": spec, "workload": workload}
    selectors = [f"{field}={glob.escape(name)}" for field, name in names.items()]
    return shlex.join(["matrix", "sweep", "--force", *selectors])


def acknowledge(flip_id: int) -> str:
    """`matrix ack ...` for one standing regression, with a reason and an end to fill in."""
    return f'matrix ack {flip_id} --reason "why it may stand" --until 30d'


def state_of(word: str) -> State:
    """The state that is spelled so; unknown for any other word."""
    return next((state for state in State if state == word), State.UNKNOWN)
