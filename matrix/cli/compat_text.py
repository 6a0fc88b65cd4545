"""An answer as text: the sentence, what to copy, and the evidence for and against."""

from collections.abc import Iterator, Sequence

from matrix.app.answered import Answer, EvidenceView
from matrix.cli.plain import plain
from matrix.plan.compat import covers
from matrix.plan.span_words import span_words

_PINS = 3


def lines(found: Answer, runs: str | None = None) -> Iterator[str]:
    """Lines for a person; `runs` is the revision that the user runs now, None for not told."""
    yield plain(found.sentence)
    if runs is not None:
        yield from _yours(found, runs)
    best = found.recommended
    if best is not None:
        yield from (f"  {name:<8} {plain(value)}" for name, value in _to_run(found) if value)
    yield from _block("next best", found.next_best)
    yield from _block("broken", found.broken)
    yield from _block("known from source to be intact, not tested", found.known)
    if found.conflicts:
        yield "conflicts:"
        for pair in found.conflicts:
            yield f"  {one_line(pair.kept)}"
            yield f"    against {one_line(pair.other)}"
    yield from _block("nearest evidence, each an inference", found.nearest)


def one_line(item: EvidenceView) -> str:
    """One claim on one line; what is not known is said."""
    length = "accept length unknown" if item.accept_length is None else f"accept length {item.accept_length:.4g}"
    parts = [item.evidence, item.state]
    parts += [length] if item.evidence != "known" else []
    parts += [f"k {item.k}"] if item.k is not None else []
    parts += [f"other {', '.join(item.differs)}"] if item.differs else []
    link = item.link or ("link unknown" if item.evidence == "reported" else None)
    parts += [part for part in (item.workload, item.hardware, item.last_tested, link) if part]
    draft = f" with {item.draft}" if item.draft else ""
    return plain(f"{item.engine} {span_words(item.versions or '')}: {item.target}{draft}: {', '.join(parts)}")


def _to_run(found: Answer) -> Iterator[tuple[str, str]]:
    best = found.recommended
    if best is None:
        return
    for number, line in enumerate(best.install):
        yield "install" if number == 0 else "", line
    yield "launch", best.launch or ""
    yield "image", f"{best.image or ''} {best.digest or ''}".strip()
    engine = [pin for pin in best.pins if pin.startswith(f"{best.engine}")]
    more = f" and {len(best.pins) - len(engine)} more in --json" if len(best.pins) > len(engine) else ""
    yield "pins", f"{', '.join(engine[:_PINS])}{more}"


def _yours(found: Answer, runs: str) -> Iterator[str]:
    """What is known of the revision that the user runs."""
    best = [found.recommended] if found.recommended else []
    about = [c for c in (*best, *found.next_best, *found.broken) if covers(c.versions or "", runs)]
    yield f"you run {plain(runs)}: " + (about[0].state if about else "not tested")


def _block(title: str, items: Sequence[EvidenceView]) -> Iterator[str]:
    if items:
        yield f"{title}:"
        yield from (f"  {one_line(item)}" for item in items)
