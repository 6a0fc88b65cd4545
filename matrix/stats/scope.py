"""How far a fall reaches: which cells of one release fell, and how others fare with the same draft."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from matrix.core.spec import Method
from matrix.core.state import State
from matrix.stats.sides import Neighbour, Side, engine_name
from matrix.stats.words import count

# What may set the fallen cells apart, the widest first, and how it is said.
_PROPERTIES = {"target": "{} drafts", "method": "{}", "draft": "draft {}", "workload": "workload {}", "launch": "`{}`"}
_VERBS = {State.BROKEN: "broke", State.SLOWER: "slowed", State.WRONG_OUTPUT: "gave wrong output"}


def verb(state: State) -> str:
    """What a cell did that is in this state now."""
    return _VERBS.get(state, "fell")


def reach(after: Side, state: State, beside: Sequence[Neighbour]) -> str:
    """Which cells of the release fell, by the one or two properties that set them apart; empty when none is beside.

    `beside` are the measured series of the same engine and revision, the fallen one among them. Cells that fell in
    another way speak neither for nor against.
    """
    drafted = [n for n in beside if n.method != Method.NONE.value and n.state.known]
    fallen = [n for n in drafted if n.fell and verb(n.state) == verb(state)]
    fine = [n for n in drafted if not n.fell and not n.state.bad]
    name = engine_name(after.engine)
    if len(fallen) + len(fine) < 2 or not fallen:
        return ""
    if not fine:
        return f"all {count(len(fallen), 'measured cell')} of {name} {after.revision} {verb(state)}"
    apart = next(_apart(fallen, fine), None)
    if apart:
        return f"only {apart} on {name} {verb(state)}"
    return (
        f"{len(fallen)} of {count(len(fallen) + len(fine), 'measured cell')} of {name} {after.revision} {verb(state)}"
    )


def without_draft(after: Side, beside: Sequence[Neighbour]) -> str:
    """A sentence when the baseline of the same target fails on the release too; else empty, as for a baseline."""
    if after.method == Method.NONE.value:
        return ""
    fails = any(n.method == Method.NONE.value and n.target == after.target and n.output.bad for n in beside)
    return "it fails without a draft too" if fails else ""


def other_launch(after: Side, beside: Sequence[Neighbour]) -> str:
    """The healthy cell of the same release that differs in its launch options alone; empty where there is none."""
    same = [
        n
        for n in beside
        if (n.target, n.draft, n.spec, n.workload) == (after.target, after.draft, after.spec, after.workload)
        and n.launch != after.launch
        and n.state is State.HEALTHY
        and n.accept_length is not None
    ]
    if not same:
        return ""
    best = max(same, key=lambda n: (n.accept_length or 0.0, n.series_key))
    options = f"`{best.launch}`" if best.launch else "no launch option"
    return f"{engine_name(after.engine)} {after.revision} gives {best.accept_length:.2f} with {options}"


def elsewhere_words(elsewhere: Sequence[Neighbour]) -> list[str]:
    """How each other engine fares with the same draft file, at its newest measured revision."""
    return [_elsewhere(n) for n in elsewhere]


def _elsewhere(n: Neighbour) -> str:
    name = engine_name(n.engine)
    if n.accept_length is None:
        return f"{name} {n.revision} is {n.state} with the same file"
    doubt = f", {n.state}" if n.state.bad else ""
    return f"{name} runs the same file at {n.accept_length:.2f} ({n.revision}{doubt})"


def _apart(fallen: Sequence[Neighbour], fine: Sequence[Neighbour]) -> Iterator[str]:
    """Descriptions that hold for every fallen cell and for no other, one property before two."""
    shared = {name: value for name in _PROPERTIES if (value := _shared(name, fallen))}
    for size in (1, 2):
        for names in combinations(shared, size):
            if not any(all(getattr(n, name) == shared[name] for name in names) for n in fine):
                yield " with ".join(_PROPERTIES[name].format(shared[name]) for name in names)


def _shared(name: str, fallen: Sequence[Neighbour]) -> str:
    values = {getattr(n, name) or "" for n in fallen}
    return values.pop() if len(values) == 1 else ""
