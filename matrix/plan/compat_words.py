"""The answer in one sentence or two. What is not known is said to be not known."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from matrix.core.answer import Claim, Decision, Evidence, Kind, Question
from matrix.core.expectation import Bonus
from matrix.plan.compat import exact
from matrix.plan.matching import UNSTATED
from matrix.plan.span_words import ends, follows, reaches_beyond, span_words

ENGINE_NAMES = {"sglang": "SGLang", "vllm": "vLLM", UNSTATED: "an engine not stated"}
_MEASURE = "measure it with `matrix sweep`"


def sentence(decision: Decision, asked: Question) -> str:
    """What `decision` says to `asked`."""
    return "; ".join([_lead(decision, asked), *_also(decision)]) + "."


def day(claim: Claim) -> str | None:
    """The day (UTC, YYYY-MM-DD) of the run or of the report, None where it is not known."""
    return None if claim.at is None else f"{datetime.fromtimestamp(claim.at, UTC):%Y-%m-%d}"


def version_words(claim: Claim) -> str:
    """The engine with its version, the range that it lies in, or that it was not stated."""
    engine = ENGINE_NAMES.get(claim.engine, claim.engine)
    if exact(claim):
        return f"{engine} {claim.versions}"
    return f"{engine} ({f'a release in {claim.versions}' if claim.versions else 'revision not stated'})"


def evidence_words(claim: Claim) -> str:
    """Where the claim comes from, with its day and its link."""
    unknown = "link unknown" if claim.evidence is Evidence.REPORTED else ""
    return ", ".join(part for part in (_dated(claim), claim.link or unknown) if part)


def _dated(claim: Claim) -> str:
    if claim.evidence is Evidence.KNOWN:
        return "known from source"
    when = day(claim)
    return f"{claim.evidence.value} {when}" if when else claim.evidence.value


def _lead(decision: Decision, asked: Question) -> str:
    subject = _subject(asked)
    best = decision.best
    if best is not None:
        verb = "is recommended" if decision.kind is Kind.RECOMMENDED else "works"
        note = "" if decision.kind is Kind.RECOMMENDED else ", not measured here"
        return f"{version_words(best)} {verb} for {subject}: {', '.join(_figures(best))} ({evidence_words(best)}{note})"
    if decision.kind is Kind.EXCLUDED:
        return f"No release can serve {subject}: {decision.broken[0].reason} (known from source)"
    if decision.kind is Kind.BROKEN:
        return f"No revision is known to work for {subject}"
    near = decision.nearest
    if not near:
        return f"Not tested: nothing is measured or reported of {subject}; {_MEASURE}"
    claim, differs = near[0].claim, ", ".join(near[0].differs)
    other = f"{version_words(claim)}, {claim.target} with {claim.draft or 'a draft not stated'}: {claim.state.value}"
    inference = f"other {differs}, so an inference; {evidence_words(claim)}"
    return f"Not tested: {subject}; nearest evidence is {other} ({inference})"


def _subject(asked: Question) -> str:
    parts = [asked.model, f"with {asked.draft}" if asked.draft else "", f"on {asked.engine}" if asked.engine else ""]
    parts += [f"by {asked.method}" if asked.method else "", f"at k {asked.k}" if asked.k else ""]
    return " ".join(part for part in (*parts, f"on {asked.gpu}" if asked.gpu else "") if part)


def _figures(claim: Claim) -> Iterable[str]:
    length = claim.accept_length
    if length is None:
        yield "accept length not stated" if claim.evidence is Evidence.REPORTED else "accept length not measured"
    else:
        noise = f" ± {100 * claim.noise:.2g} %" if claim.noise is not None else ""
        unsure = " (bonus token not stated)" if claim.bonus is Bonus.UNKNOWN else ""
        yield f"accept length {length:.4g}{noise}{unsure}"
    yield f"speed-up {claim.speedup:.3g}" if claim.speedup is not None else "speed-up unknown"
    if claim.evidence is Evidence.REPORTED:
        yield claim.hardware or "hardware not stated"
    elif claim.hardware:
        yield claim.hardware


def _also(decision: Decision) -> list[str]:
    best, said = decision.best, []
    about = [c for c in decision.broken if best is None or c.engine == best.engine]
    newer = [c for c in about if c.versions and _beyond(c, best)]
    if newer and decision.kind is not Kind.EXCLUDED:
        lead = "newer ones are broken for you: " if best and exact(best) else "these fail: "
        said.append(lead + ", ".join(_fallen(newer)))
    unstated = [c for c in about if not c.versions]
    said += [f"also {c.state.value} in {version_words(c)} ({_dated(c)})" for c in unstated]
    intact = [c for c in decision.known if (best is None or c.engine == best.engine) and _beyond(c, best)]
    said += [_intact(c, decision.broken) for c in intact]
    others = [c for c in decision.next_best if best and c.engine != best.engine]
    said += [f"{version_words(c)} works too ({_dated(c)})" for c in others]
    if any(best in (c.kept, c.other) for c in decision.conflicts):
        said.append("other evidence about this revision contradicts it")
    return said


def _beyond(claim: Claim, best: Claim | None) -> bool:
    """True where the claim is about versions newer than the best one; all are where that is not known."""
    return best is None or not exact(best) or reaches_beyond(claim.versions, best.versions)


def _fallen(claims: Sequence[Claim]) -> list[str]:
    """Each span of versions once, with all that speaks against it."""
    places: dict[str, list[Claim]] = {}
    for claim in claims:
        name = ENGINE_NAMES.get(claim.engine, claim.engine)
        places.setdefault(f"{name} {span_words(claim.versions)}", []).append(claim)
    return [f"{place} {of[0].state.value} ({'; '.join(map(_why, of))})" for place, of in places.items()]


def _why(claim: Claim) -> str:
    return f"{evidence_words(claim)}: {claim.reason}" if claim.reason else evidence_words(claim)


def _intact(claim: Claim, broken: Sequence[Claim]) -> str:
    """A span that the source shows intact; where one before it was lost in between, it is the fix."""
    name = ENGINE_NAMES.get(claim.engine, claim.engine)
    lost = [c for c in broken if c.evidence is Evidence.KNOWN and c.engine == claim.engine and ends(c.versions)[0]]
    fix = any(follows(claim.versions, c.versions) for c in lost)
    place = f"fixed in {name} {ends(claim.versions)[0]}" if fix else f"{name} {span_words(claim.versions)} intact"
    return f"{place} ({_dated(claim)}, not tested)"
