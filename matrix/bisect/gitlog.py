"""Bisection answers as the log that `git bisect log` writes and `git bisect replay` reads.

Git reads the lines that are no comments and knows neither repeats nor errors nor confidence: a point's own answers are
reduced to what most of them say, and a line that would lead git away from the suspects is left out. Every answer
travels in a comment that begins with `# matrix:`, which git passes over.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matrix.bisect.answers import Answer, Said
from matrix.bisect.history import GOOD_END, History, held_by

_OURS = "# matrix:"
_LINE = re.compile(r"^git bisect (start|good|bad|new|old|skip)\b(.*)$")
_WORDS = {"good": Said.GOOD, "old": Said.GOOD, "bad": Said.BAD, "new": Said.BAD, "skip": Said.SKIP}


class LogError(ValueError):
    """A log that cannot be read: the message names the line, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer of a log: the revision as it is written there, and what was said.

    `line` is the number of a line of git's own, 0 for one of ours: git knows no answer that contradicts another.
    """

    revision: str
    said: Said
    ratio: float | None = None
    line: int = 0


def write_log(history: History, answers: Sequence[Answer], suspected: Sequence[int] = ()) -> str:
    """The log of `answers`, ends first, as git can replay it.

    Every answer stands in a comment. For git each point has a line with what most of its answers say, unless that
    speaks against `suspected`, the changes that all answers together point to: one wrong answer would decide for git.
    """
    bad_end = len(history) - 1
    # Git reads this line's words in quotes only, and the words of the other lines without.
    lines = [f"git bisect start '{history.points[bad_end]}' '{history.good}'"]
    lines += [f"{_OURS} {_spelled(history, answer)}" for answer in answers] or [f"{_OURS} {_NOTHING}"]
    told = {}
    for point in dict.fromkeys(a.point for a in answers if a.point not in (GOOD_END, bad_end)):
        said = majority([a.said for a in answers if a.point == point])
        if said is not None and _may_say(history, point, said, suspected):
            told[point] = said
    lines += [f"git bisect {told[point]} {history.name(point)}" for point in _narrowing(history, told)]
    return "\n".join(lines) + "\n"


def _narrowing(history: History, told: Mapping[int, Said]) -> list[int]:
    """The points in their order, but of the bad ones those that hold least come last: git heeds its last one alone."""
    bad = sorted((p for p in told if told[p] is Said.BAD), key=lambda p: -int(held_by(history, p).sum()))
    return [*(p for p in told if told[p] is not Said.BAD), *bad]


_NOTHING = "no answers"


def _spelled(history: History, answer: Answer) -> str:
    ratio = "" if answer.ratio is None else f" {answer.ratio!r}"
    return f"{answer.said} {history.name(answer.point)}{ratio}"


def _may_say(history: History, point: int, said: Said, suspected: Sequence[int]) -> bool:
    held = held_by(history, point)[list(suspected)]
    return said is Said.SKIP or not suspected or bool(held.any() if said is Said.BAD else not held.all())


def majority(said: Sequence[Said]) -> Said | None:
    """What most answers say, skips aside; skip where there are only skips, None for a tie."""
    good, bad = said.count(Said.GOOD), said.count(Said.BAD)
    if good == bad:
        return Said.SKIP if said and not good else None
    return Said.GOOD if good > bad else Said.BAD


def read_log(text: str) -> list[Entry]:
    """The answers of a log, in its order: our own comments where there are any, else git's lines.

    Raises LogError for a line that is neither a comment nor one of git's words.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not any(_LINE.match(line) for _, line in lines):
        raise LogError("line 1: no `git bisect` line; expected what `git bisect log` prints")
    git = [entry for number, line in lines if not line.startswith("#") for entry in _git_line(number, line)]
    ours = [(number, line) for number, line in lines if line.startswith(_OURS)]
    if not ours:
        return git
    return [_our_line(number, line) for number, line in ours if line != f"{_OURS} {_NOTHING}"]


def answers_of(history: History, entries: Sequence[Entry]) -> list[Answer]:
    """The entries as answers about points of `history`; a revision may be shortened.

    Raises LogError for one that names no point or several, and for lines of git's that contradict each other.
    """
    found = [Answer(_point(history, entry.revision), entry.said, entry.ratio) for entry in entries]
    _agree(history, [(a, e) for a, e in zip(found, entries, strict=True) if e.line])
    return found


def _agree(history: History, told: Sequence[tuple[Answer, Entry]]) -> None:
    """LogError where one line calls a revision good and another calls it, or one that it holds, bad."""
    for good, first in told:
        for bad, other in told:
            if (good.said, bad.said) == (Said.GOOD, Said.BAD) and _holds(history, good.point, bad.point):
                raise LogError(f"{_lines(first, other)}: {_contradiction(good, bad, first, other)}")


def _lines(one: Entry, other: Entry) -> str:
    first, last = sorted((one.line, other.line))
    return f"line {first} contradicts itself" if first == last else f"lines {first} and {last} contradict each other"


def _contradiction(good: Answer, bad: Answer, first: Entry, other: Entry) -> str:
    if good.point == bad.point:
        return f"{first.revision} is both good and bad"
    return f"{first.revision} is good and holds {other.revision}, which is bad"


def _holds(history: History, point: int, change: int) -> bool:
    return change == GOOD_END or point == change or bool(held_by(history, point)[change])


def _point(history: History, revision: str) -> int:
    names = [history.good, *history.points]
    found = [i for i, name in enumerate(names) if name == revision] or [
        i for i, name in enumerate(names) if len(revision) >= _SHORTEST and name.startswith(revision)
    ]
    if len(found) != 1:
        raise LogError(f"`{revision}` names {len(found)} points of this history; expected exactly one")
    return found[0] - 1


_SHORTEST = 7


def _git_line(number: int, line: str) -> list[Entry]:
    found = _LINE.match(line)
    if found is None:
        raise LogError(f"line {number}: `{line[:80]}` is no line of a bisect log")
    words = _split(number, found[2])
    if found[1] == "start":
        # `git bisect start BAD GOOD...`; options come before, paths after `--`.
        revisions = [w for w in words[: words.index("--") if "--" in words else None] if not w.startswith("--")]
        return [Entry(w, Said.GOOD if i else Said.BAD, line=number) for i, w in enumerate(revisions)]
    return [Entry(word, _WORDS[found[1]], line=number) for word in words]


def _our_line(number: int, line: str) -> Entry:
    words = _split(number, line.removeprefix(_OURS))
    try:
        said, revision, *rest = words
        return Entry(revision, Said(said), float(rest[0]) if rest else None)
    except ValueError:
        raise LogError(f"line {number}: `{line[:80]}` is not `{_OURS} ANSWER REVISION`") from None


def _split(number: int, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise LogError(f"line {number}: {error}") from None
