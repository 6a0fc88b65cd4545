"""What `matrix results --verbose` says below the table: why each run has its states, and what was published."""

from collections.abc import Iterable, Iterator

from matrix.app.expected import expected_of_run
from matrix.cli.plain import plain
from matrix.store import Store
from matrix.store.views import ResultRow


def details(store: Store, rows: Iterable[ResultRow]) -> Iterator[str]:
    """Lines for each run that was judged or that a published value is about."""
    for row in rows:
        lines = [*_verdicts(store, row), *_published(store, row.run_id)]
        if lines:
            yield f"run {row.run_id}"
            yield from lines


def _verdicts(store: Store, row: ResultRow) -> Iterator[str]:
    for verdict in store.compare.verdicts(row.series_key, row.run_id):
        yield f"  {verdict.metric} {verdict.state}: {plain(verdict.reason)}"


def _published(store: Store, run_id: str) -> Iterator[str]:
    for found in expected_of_run(store, run_id):
        yield f"  {plain(found.text)}{f' ({plain(found.link)})' if found.link else ''}"
