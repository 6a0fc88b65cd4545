"""The packages between two environments as the points of a line: each has one step more of the way made."""

from collections.abc import Sequence
from dataclasses import dataclass

from matrix.app.bisect.points import Line, Point, lock_lines
from matrix.app.bisect.subject import Subject
from matrix.app.revisions import distribution
from matrix.bisect.packages import ABSENT, Lock, Move, Step, by_date, leading, moves, steps, weight, words
from matrix.core.errors import ConfigError
from matrix.core.ports import Executor
from matrix.core.revision import Revision
from matrix.engines.registry import adapter_for
from matrix.executors.resolver import Resolver
from matrix.sources import pip_settings
from matrix.sources.upload_days import upload_days

GOOD = "good-environment"


@dataclass(frozen=True, slots=True)
class Rule:
    """What may be together. Without a resolver everything may; `note` says why it is not asked, or not about all.

    `unasked` is the engine's package where an environment holds what the engine itself does not ask for.
    """

    resolver: Resolver | None
    note: str = ""
    unasked: str = ""

    def refusal(self, lock: Lock) -> str:
        """Why these packages cannot be together; empty where they can, or nobody knows."""
        asked = {name: version for name, version in lock.items() if name != self.unasked}
        return self.resolver.refusal(lock_lines(asked)) if self.resolver else ""


def rule(subject: Subject, revision: Revision, executor: Executor, ends: Sequence[Lock]) -> Rule:
    """The resolver, as far as it accepts both ends: environments that were forced together have no rule to go by."""
    if executor.name != "venv":
        return Rule(None, "packages move one by one: what an image's Python accepts is seen when it is built")
    _, cell = subject.cells(revision, 0)
    resolver = Resolver(adapter_for(subject.engine).recipe(cell), pip_settings.read())
    refused = _refused(Rule(resolver), ends)
    if not refused:
        return Rule(resolver)
    project = distribution(subject.engine, subject.install)
    without = Rule(resolver, f"{project} itself asks for other packages: {refused}", project)
    if not _refused(without, ends):
        return without
    return Rule(None, f"{refused}: packages move one by one, and what fails in another way is skipped")


def _refused(asked: Rule, ends: Sequence[Lock]) -> str:
    """Why an end is refused; empty where both are accepted."""
    for word, lock in zip(("good", "bad"), ends, strict=True):
        if why := asked.refusal(lock):
            return f"the resolver would not make the {word} environment ({why})"
    return ""


def package_line(good: Lock, bad: Lock, revision: Revision, allowed: Rule) -> Line:
    """The environments after `good` up to `bad`. Raises ConfigError where both hold the same packages."""
    found = moves(good, bad)
    if not found:
        hint = "compare settings and hardware: `matrix regressions` lists what differs"
        raise ConfigError("both environments hold the same packages", hint=hint)
    days = upload_days({m.name: m.new for m in found if m.new != ABSENT and "@" not in m.new}, pip_settings.read())
    made = steps(good, by_date(found, days), lambda lock: not allowed.refusal(lock))
    return Line(
        good=Point(GOOD, revision.version, revision.kind, revision.commit),
        points=tuple(_point(step, revision, days) for step in made),
        parents=tuple((i - 1,) if i else () for i in range(len(made))),
        weights=tuple(weight(step) for step in made),
        notes=tuple(_notes(found, made, days, allowed)),
        lock=good,
    )


def _point(step: Step, revision: Revision, days: dict[str, str]) -> Point:
    lead = leading(step)
    version = "address" if lead.new.startswith("@") else lead.new
    return Point(
        name=f"{lead.name}=={version}",
        version=revision.version,
        kind=revision.kind,
        commit=revision.commit,
        subject=words(step),
        date=max((days[m.name] for m in step if m.name in days), default=""),
        moves=step,
    )


def _notes(found: list[Move], made: list[Step], days: dict[str, str], allowed: Rule) -> list[str]:
    undated = sum(m.new != ABSENT and m.name not in days for m in found)
    together = "; ".join(words(step) for step in made if len(step) > 1)
    notes = [allowed.note] if allowed.note else []
    notes += [f"moved together, since the resolver accepts none of them alone: {together}"] if together else []
    if undated:
        notes.append(
            f"no index tells the upload date of {undated} of {len(found)} packages: they move last, by version"
        )
    return notes
