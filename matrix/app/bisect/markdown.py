"""A report as markdown, to be pasted into the engine's issue tracker."""

from collections.abc import Iterable
from typing import Any

from matrix.app.bisect.report import Report, short

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
    sure = f"{100 * report.confidence:.1f} % sure, {report.runs} runs"
    what = _QUESTIONS[report.question]
    if report.culprit is None:
        return f"{report.engine} {what} after {good} and up to {bad} ({sure})"
    subject = f' "{report.subject}"' if report.subject else ""
    return f"{report.engine} {what} in {short(report.culprit)}{subject}; {good} is the last one before it ({sure})"


def markdown(report: Report) -> str:
    """The whole report; long parts are folded."""
    parts = [f"**{_safe(headline(report))}**", ""]
    parts += [f"- Doubt: {_safe(text)}" for text in report.doubts]
    parts += [f"- {_safe(text)}" for text in (*report.notes, *report.not_tested)]
    if report.before and report.after:
        parts += ["", *_table(report)]
    parts += _folded("Settings that differ", [f"{name}: {change}" for name, change in report.settings.items()])
    parts += _folded("Packages that differ", report.lock)
    parts += _folded("Suspects", [f"{100 * s.probability:.1f} % {short(s.name)} {s.subject}" for s in report.suspects])
    parts += _folded("Every answer", [f"{short(a.point)} {a.said} ({a.phase}): {a.why}" for a in report.answers])
    if report.reproduce:
        parts += ["", "Reproduce with", "", f"    {report.reproduce}"]
    parts += ["", "Resume with", "", f"    {report.resume}"]
    return "\n".join(parts) + "\n"


def _table(report: Report) -> list[str]:
    rows = [(name, report.before.get(name), report.after.get(name)) for name in report.before if name != "run_id"]
    lines = [f"| {name.replace('_', ' ')} | {_cell(old)} | {_cell(new)} |" for name, old, new in rows]
    return ["| | last good | first bad |", "|---|---|---|", *lines]


def _cell(value: Any) -> str:
    if value is None or value == "":
        return "unknown"
    return f"{value:.3f}" if isinstance(value, float) else _safe(str(value)).replace("|", "\\|")


def _folded(title: str, lines: Iterable[str]) -> list[str]:
    listed = [f"    {' '.join(line.split())}" for line in lines]
    return ["", f"<details><summary>{title}</summary>", "", *listed, "", "</details>"] if listed else []


def _safe(text: str) -> str:
    """One line that cannot break out of its paragraph."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*")
