"""The rule behind "which version works": pure, over claims about one model.

Measured beats reported, reported beats nothing, and what is known from source only excludes. Of measured runs the
latest of each revision, hardware and series counts. A report about a range says that the version used lies in it, so it
proves no version and excludes none.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations, product
from typing import Any, TypeVar

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from matrix.core.answer import Claim, Conflict, Decision, Evidence, Kind, Near, Question
from matrix.core.state import State
from matrix.plan.history import revision_order
from matrix.plan.matching import differing

T = TypeVar("T")
ENGINES = ("sglang", "vllm")
_NEXT, _NEAREST = 3, 5
_UNSURE = ("k", "hardware", "method", "draft", "engine")


def decide(claims: Sequence[Claim], asked: Question) -> Decision:
    """What the claims about one model answer to the question.

    `best` is the newest revision whose latest measured run is healthy, else the newest one reported healthy that
    neither a measured run nor the source speaks against; of equal revisions the one with the greater speed-up. Engines
    count no common versions: between them evidence decides, then speed-up, then the later date, then the name.
    """
    about = latest(c for c in claims if not differing(c, asked))
    conflicts = _conflicts(about)
    good = [c for c in about if _proposed(c, about)]
    heads = _heads(good)
    best = heads[0] if heads else None
    return Decision(
        kind=_kind(best, about, asked),
        best=best,
        next_best=_next(good, heads),
        broken=tuple(_newest_first((c for c in about if c.state.bad), lambda c: c)),
        conflicts=conflicts,
        nearest=() if best else _nearest(latest(claims), asked),
        known=tuple(c for c in about if c.evidence is Evidence.KNOWN and not c.state.bad),
    )


def latest(claims: Iterable[Claim]) -> list[Claim]:
    """The claims, of measured ones only the latest of each revision, hardware and series."""
    found: dict[Any, Claim] = {}
    for claim in claims:
        place = (claim.engine, claim.versions, claim.hardware, claim.series or claim.draft_content)
        key = place if claim.evidence is Evidence.MEASURED else (claim.evidence, id(claim))
        held = found.get(key)
        if held is None or _age(claim) > _age(held):
            found[key] = claim
    return list(found.values())


@lru_cache(maxsize=16384)
def covers(span: str, version: str) -> bool:
    """True where the version or range `span` surely holds `version`; false for an unknown one."""
    if not span:
        return False
    try:
        return SpecifierSet(span).contains(version, prereleases=True)
    except InvalidSpecifier:
        return revision_order(span) == revision_order(version)
    except InvalidVersion:
        return False


def exact(claim: Claim) -> bool:
    """True for a claim about one version."""
    return claim.evidence is Evidence.MEASURED or _is_version(claim.versions)


@lru_cache(maxsize=16384)
def _is_version(text: str) -> bool:
    try:
        return bool(Version(text))
    except InvalidVersion:
        return False


def remoteness(differs: tuple[str, ...]) -> tuple[Any, ...]:
    """Sorts inferences by what is other than asked, the best first; empty for what fits."""
    return (len(differs), *(_UNSURE.index(name) for name in differs)) if differs else ()


def _proposed(claim: Claim, about: Sequence[Claim]) -> bool:
    if claim.state is not State.HEALTHY or claim.evidence is Evidence.KNOWN:
        return False
    if claim.evidence is Evidence.MEASURED:
        return True
    return not any(_speaks_against(other, claim) for other in about)


def _speaks_against(other: Claim, report: Claim) -> bool:
    """A measured run or the source that says the opposite of a report about the same version."""
    stronger = other.evidence is not Evidence.REPORTED and other.state.bad and other.engine == report.engine
    return stronger and exact(report) and covers(other.versions, report.versions)


def _rank(claim: Claim) -> int:
    if claim.evidence is Evidence.MEASURED:
        return 0
    return 1 if exact(claim) else 2 if claim.versions else 3


def _age(claim: Claim) -> tuple[float, str]:
    return claim.at or 0.0, claim.ref


def _order(claim: Claim) -> tuple[Any, ...]:
    """Sorts the claims of one engine, the best last."""
    return -_rank(claim), _version(claim), claim.speedup or 0.0, _age(claim)


def _between(claim: Claim) -> tuple[Any, ...]:
    """Sorts the heads of engines, the best first."""
    return _rank(claim), -(claim.speedup or 0.0), -(claim.at or 0.0), claim.engine


def _heads(good: Sequence[Claim]) -> list[Claim]:
    engines = {c.engine for c in good}
    return sorted((max((c for c in good if c.engine == e), key=_order) for e in engines), key=_between)


def _next(good: Sequence[Claim], heads: Sequence[Claim]) -> tuple[Claim, ...]:
    """The next revisions of the best one's engine, and the best of every other engine."""
    if not heads:
        return ()
    best = heads[0]
    rest = [c for c in good if c.engine == best.engine and c.versions != best.versions]
    own: dict[str, Claim] = {}
    for claim in sorted(rest, key=_order, reverse=True):
        own.setdefault(claim.versions, claim)
    return (*list(own.values())[: _NEXT - 1], *heads[1:])


def _kind(best: Claim | None, about: Sequence[Claim], asked: Question) -> Kind:
    if best is not None:
        return Kind.RECOMMENDED if best.evidence is Evidence.MEASURED else Kind.REPORTED
    if any(c.state.bad and c.evidence is not Evidence.KNOWN for c in about):
        return Kind.BROKEN
    never = {c.engine for c in about if c.evidence is Evidence.KNOWN and c.state.bad and c.versions == ">=0"}
    engines = {asked.engine.casefold()} if asked.engine else set(ENGINES)
    return Kind.EXCLUDED if engines <= never else Kind.NOT_TESTED


def _newest_first(items: Iterable[T], claim_of: Callable[[T], Claim]) -> list[T]:
    """By engine, the newest version first and versions that are not known last; of one version the best evidence."""
    evidence = [Evidence.MEASURED, Evidence.REPORTED, Evidence.KNOWN]
    found = sorted(items, key=lambda i: (evidence.index(claim_of(i).evidence), claim_of(i).versions, claim_of(i).ref))
    found.sort(key=lambda i: _version(claim_of(i)), reverse=True)
    return sorted(found, key=lambda i: claim_of(i).engine)


def _version(claim: Claim) -> tuple[Any, ...]:
    return revision_order(claim.versions if exact(claim) else "0")


def _conflicts(about: Sequence[Claim]) -> tuple[Conflict, ...]:
    """Pairs with a report or a known span in them: runs are never held against each other here."""
    runs = [c for c in about if c.evidence is Evidence.MEASURED]
    said = [c for c in about if c.evidence is not Evidence.MEASURED]
    pairs = chain(product(said, runs), combinations(said, 2))
    found = [Conflict(*sorted(pair, key=_authority)) for pair in pairs if _contradict(*pair)]
    return tuple(_newest_first(found, lambda c: c.kept))


def _contradict(one: Claim, other: Claim) -> bool:
    if one.engine != other.engine or {one.state.bad, other.state.bad} != {True, False}:
        return False
    good = other if one.state.bad else one
    bad = one if good is other else other
    if good.state is not State.HEALTHY or good.evidence is Evidence.KNOWN or not exact(good):
        return False
    same_k = good.k is None or bad.k is None or good.k == bad.k
    return same_k and (exact(bad) or bad.evidence is Evidence.KNOWN) and covers(bad.versions, good.versions)


def _authority(claim: Claim) -> tuple[Any, ...]:
    """Measured before known before reported, of two reports the later."""
    return (Evidence.MEASURED, Evidence.KNOWN, Evidence.REPORTED).index(claim.evidence), -(claim.at or 0.0), claim.ref


def _nearest(claims: Sequence[Claim], asked: Question) -> tuple[Near, ...]:
    told = [c for c in claims if c.evidence is not Evidence.KNOWN and c.state.known]
    near = [Near(c, gap) for c in told if (gap := differing(c, asked))]
    return tuple(sorted(_newest_first(near, lambda n: n.claim), key=_distance)[:_NEAREST])


def _distance(near: Near) -> tuple[Any, ...]:
    return remoteness(near.differs), _rank(near.claim)
