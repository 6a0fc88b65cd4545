"""Tells of flips, each once, and beside them of what is known and still stands."""

import time
from collections.abc import Callable, Sequence

from matrix.app.attribute import regressions
from matrix.app.regression import Regression, Status
from matrix.store import Store
from matrix.store.views import FlipView


def announce(store: Store, say: Callable[[str], None]) -> None:
    """One line for each flip that was never told, then one for each other series where a regression stands.

    A flip counts as told after its line was said: an interruption repeats a line, and never swallows one.
    """
    standing = regressions(store)
    fresh = store.series.unannounced()
    for flip in fresh:
        say(_news(flip, standing))
        store.series.mark_announced([flip.flip_id], time.time())
    told = {(flip.series_key, flip.metric) for flip in fresh}
    for item in standing:
        if (item.series_key, item.metric) not in told:
            say(f"{_word(item)}: {item.series}: {item.now} since {item.to_revision}: {item.fault.text}")


def _news(flip: FlipView, standing: Sequence[Regression]) -> str:
    known = next((item for item in standing if item.flip_id == flip.flip_id), None)
    cause = f" ({known.fault.text})" if known and known.fault.text else ""
    return f"{flip.change}: {flip.series}: {flip.from_revision} -> {flip.to_revision}: {flip.reason}{cause}"


def _word(item: Regression) -> str:
    return Status.ACKNOWLEDGED.value if item.ack else Status.STILL_FAILING.value
