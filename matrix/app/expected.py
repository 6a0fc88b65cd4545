"""Published accept lengths: kept from the config, set against what was measured."""

from collections.abc import Mapping, Sequence

from matrix.app.regression import ExpectationView
from matrix.core.expectation import Expectation
from matrix.plan.config import Config
from matrix.stats.expectations import set_against
from matrix.stats.fault import Side
from matrix.store import Store


def keep_expectations(store: Store, config: Config) -> None:
    """Store what the config says was published of its drafts, in the place of what was stored for them."""
    store.published.replace(
        {name: [table.of(name) for table in draft.expectations] for name, draft in config.drafts.items()}
    )


def expected(published: Mapping[str, Sequence[Expectation]], side: Side) -> list[ExpectationView]:
    """This run's accept length set against each value published of its draft that is about its target and engine."""
    resolved = side.resolved.get("k")
    k = resolved if isinstance(resolved, int) else side.k
    about = [e for e in published.get(side.draft or "", ()) if e.target in (None, side.target)]
    return [_view(e, side, k) for e in about if e.engine in (None, side.engine)]


def expected_of_run(store: Store, run_id: str) -> list[ExpectationView]:
    """The same by run id; empty for a run that is not stored."""
    published = store.published.all()
    side = store.compare.sides([run_id]).get(run_id) if published else None
    return expected(published, side) if side else []


def _view(expectation: Expectation, side: Side, k: int | None) -> ExpectationView:
    found = set_against(expectation, side.accept_length, workload=side.workload, k=k)
    return ExpectationView(found.text, expectation.link, found.expected, found.share)
