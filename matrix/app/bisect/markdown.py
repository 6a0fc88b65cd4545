"""A report as markdown, to be pasted into the engine's issue tracker."""

from typing import Any

from matrix.app.bisect.report import Report, Seen, short
from matrix.app.bisect.request import PACKAGE, VERSION
from matrix.app.markdown_text import folded, safe
from matrix.bisect.search import Phase

_QUESTIONS = {
    "accept": "accept length fell",
    "works": "stopped working",
    "slower": "became slower",
    "wrong-output": "gives wrong output",
    "hang": "hangs",
    "fixed": "was repaired",
}


def headline(report: Report) -> str:
    """One sentence: the answer and how sure it is."""
    good, bad = (short(name) for name in report.range)
    if not report.suspects:
        return f"no search was made: {report.reason}"
    sure = f"{100 * report.confidence:.1f} % sure after {_count(report.runs, 'run')}"
    what = _QUESTIONS[report.question]
    if report.level in (PACKAGE, VERSION):
        packages = report.subject or f"packages that move after {good} and up to {bad}"
        return f"{report.engine}: {what} with {packages} ({sure})"
    if report.culprit is None:
        return f"{report.engine}: {what} after {good} and up to {bad} ({sure})"
    subject = f' "{report.subject}"' if report.subject else ""
    return f"{report.engine}: {what} in {short(report.culprit)}{subject}; {good} is the last one before it ({sure})"


def markdown(report: Report) -> str:
    """The whole report; long parts are folded."""
    parts = [f"**{safe(headline(report))}**", "", f"- {_runs(report)}"]
    parts += [f"- {safe(text)}" for text in _ends(report)]
    parts += [f"- Doubt: {safe(text)}" for text in report.doubts]
    parts += [f"- {safe(text)}" for text in report.notes]
    parts += [f"- Not tested: {safe(text)}" for text in report.not_tested]
    if report.before and report.after:
        parts += ["", *_table(report)]
    parts += folded("Settings that differ", [f"{name}: {change}" for name, change in report.settings.items()])
    parts += folded("Packages that differ", report.lock)
    parts += folded("Suspects", [f"{100 * s.probability:.1f} % {short(s.name)} {s.subject}" for s in report.suspects])
    parts += folded("Every answer", [_line(a) for a in report.answers])
    if report.reproduce:
        parts += ["", "Reproduce with", "", f"    {report.reproduce}"]
    resume = "Ask again with" if report.status == Phase.DONE.value else "Resume with"
    parts += ["", resume, "", f"    {report.resume}"]
    return "\n".join(parts) + "\n"


def _runs(report: Report) -> str:
    """`8 runs: 2 at the ends, 4 in the search, 2 again at both sides; 3 of them were known before`."""
    names = {"ends": "at the ends", "search": "in the search", "verify": "again at both sides"}
    made = [a for a in report.answers if a.phase in names]
    parts = [f"{n} {where}" for phase, where in names.items() if (n := sum(a.phase == phase for a in made))]
    said = _count(len(made), "run") + (f": {', '.join(parts)}" if parts else "")
    known, by_hand = sum(a.known for a in made), len(report.answers) - len(made)
    said += f"; {known} of them {'was' if known == 1 else 'were'} known before" if known else ""
    return said + (f"; {_count(by_hand, 'answer')} by hand" if by_hand else "")


def _ends(report: Report) -> list[str]:
    """What the first runs at both ends said."""
    first = {a.point: a for a in reversed(report.answers) if a.phase == Phase.ENDS.value}
    return [f"End {_line(a)}" for a in reversed(first.values())]


def _line(answer: Seen) -> str:
    known = ", known before" if answer.known else ""
    return f"{short(answer.point)} is {answer.said} ({answer.phase}{known}): {answer.why}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _table(report: Report) -> list[str]:
    rows = [(name, report.before.get(name), report.after.get(name)) for name in report.before if name != "run_id"]
    shown = [(name, old, new) for name, old, new in rows if (old, new) not in ((None, None), ("", ""))]
    lines = [f"| {_LABELS.get(name, name)} | {_cell(name, old)} | {_cell(name, new)} |" for name, old, new in shown]
    return ["| | last good | first bad |", "|---|---|---|", *lines]


_LABELS = {"accept_length": "accept length", "tok_s": "output tok/s", "signature": "failure"}


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "not measured"
    if value == "":
        return "none"
    if isinstance(value, float):
        return f"{value:.1f}" if name == "tok_s" else f"{value:.3f}"
    return safe(str(value)).replace("|", "\\|")
