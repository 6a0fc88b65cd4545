"""Regressions as text: one block for each cause, its cells below it."""

from collections.abc import Iterator, Sequence

from matrix.app.figures import figures
from matrix.app.regression import Regression
from matrix.cli.moments import day
from matrix.cli.tables import plain
from matrix.core.state import Metric


def blocks(items: Sequence[Regression]) -> Iterator[str]:
    """Lines of all groups, in the order in which their first regression comes."""
    for group in dict.fromkeys(item.group for item in items):
        cells = [item for item in items if item.group == group]
        first = cells[0]
        many = f" ({len(cells)} cells)" if len(cells) > 1 else ""
        yield f"group {group}{many}: {plain(first.fault.text)}"
        yield from (f"  beside it: {plain(words)}" for words in first.fault.evidence)
        for item in cells:
            yield from _cell(item)


def _cell(item: Regression) -> Iterator[str]:
    now = f", {item.now} now" if item.now != item.after else ""
    change = f"{item.metric} {item.before} -> {item.after}{now}"
    yield f"  flip {item.flip_id}, {item.status}: {plain(item.series)}: {change}"
    since = f"{item.from_revision} -> {item.to_revision}" if item.from_revision else f"in {item.to_revision}, the first"
    yield f"    {since}: {plain(item.reason)}"
    yield f"    {_unit(item)}: {', '.join(f'{name} {value}' for name, value in figures(item))}"
    yield f"    run {item.to_run or 'unknown'}, before it run {item.from_run or 'none'}, series {item.series_key}"
    if item.fixed_in:
        yield f"    fixed in {item.fixed_in}"
    if item.use:
        yield f"    use {item.use}"
    yield from (f"    {plain(e.text)}{f' ({plain(e.link)})' if e.link else ''}" for e in item.expectations)
    yield from _ack(item)
    if item.next:
        yield f"    next: {plain(item.next)}"


def _ack(item: Regression) -> Iterator[str]:
    if item.ack:
        yield f"    acknowledged ({item.ack.scope} {item.ack.ack_id}) {day(item.ack.until)}: {plain(item.ack.reason)}"
    elif item.ack_ended:
        yield f"    counts again: {item.ack_ended}"


def _unit(item: Regression) -> str:
    return "tokens a second" if item.metric == Metric.SPEED else "accept length"
