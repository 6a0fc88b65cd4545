"""A regression as markdown, to be pasted into the engine's issue tracker."""

from matrix.app.figures import NOT_MEASURED, figures
from matrix.app.markdown_text import folded, safe
from matrix.app.regression import Regression
from matrix.store.views import RunView

_SHOWN = ("accept_length", "output_tok_s", "baseline_tok_s", "speedup", "outcome", "hardware", "artifact")
_LABELS = {
    "accept_length": "accept length",
    "output_tok_s": "output tok/s",
    "baseline_tok_s": "tok/s without a draft",
    "speedup": "speed-up",
}


def regression_markdown(item: Regression, before: RunView | None, after: RunView | None) -> str:
    """The report: what fell, the figures of both sides, the cause, the failure's lines and how to see it again.

    `before` and `after` are the runs on both sides; None where none is stored.
    """
    parts = [f"**{safe(_headline(item))}**", "", safe(item.reason), "", *_facts(item)]
    if before or after:
        parts += ["", *_table(item, before, after)]
    parts += ["", f"Cause: {safe(item.fault.text or 'unknown')}", ""]
    parts += [f"- {safe(text)}" for text in item.fault.evidence]
    parts += folded("Packages that differ", _moved(before, after))
    if after and after.excerpt:
        parts += folded("The lines that show it", after.excerpt.splitlines())
    for name, run in (("before", before), ("after", after)):
        parts += ["", f"The server {name}", "", f"    {_line(run.reproduce)}"] if run and run.reproduce else []
    parts += ["", "Look further with", "", f"    {_line(item.next)}"] if item.next else []
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n"


def _headline(item: Regression) -> str:
    draft = f" with {item.draft}" if item.draft else ""
    place = f"{item.engine} {item.to_revision}: {item.target}{draft} ({item.spec or item.method})"
    since = f"after {item.from_revision}" if item.from_revision else "at the first revision that was measured"
    return f"{place} is {item.after} {since}, was {item.before}"


def _facts(item: Regression) -> list[str]:
    found = [f"- {name}: {safe(value)}" for name, value in figures(item)]
    found += [f"- fixed in {safe(item.fixed_in)}"] if item.fixed_in else []
    return [*found, f"- works: {safe(item.use or 'no revision that works is known')}"]


def _table(item: Regression, before: RunView | None, after: RunView | None) -> list[str]:
    sides = [f"{item.engine} {revision or 'not run before'}" for revision in (item.from_revision, item.to_revision)]
    lines = [f"| | {_cell(sides[0])} | {_cell(sides[1])} |", "|---|---|---|"]
    for name in _SHOWN:
        old, new = (_value(run, name) for run in (before, after))
        lines.append(f"| {_LABELS.get(name, name)} | {_cell(old)} | {_cell(new)} |")
    return lines


def _value(run: RunView | None, name: str) -> str:
    value = getattr(run.row, name) if run else None
    if isinstance(value, float):
        return f"{value:.1f}" if name.endswith("tok_s") else f"{value:.3f}"
    return NOT_MEASURED if value is None else str(value)


def _cell(text: str) -> str:
    return safe(text).replace("|", "\\|")


def _moved(before: RunView | None, after: RunView | None) -> list[str]:
    """Lines of the two locks that only one of them has; nothing where a lock is unknown."""
    if not before or not after or not before.lock or not after.lock:
        return []
    old, new = set(before.lock), set(after.lock)
    return [f"- {line}" for line in sorted(old - new)] + [f"+ {line}" for line in sorted(new - old)]


def _line(text: str) -> str:
    return " ".join(text.split())
