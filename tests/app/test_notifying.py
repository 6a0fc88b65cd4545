"""A night's news: one message a cause, never twice, tried again until it arrives."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matrix.app.acks import acks_for
from matrix.app.announce import announce
from matrix.app.attribute import regressions
from matrix.app.news import sample_message
from matrix.app.notifying import MOST_TRIES, Notifying, Receivers
from matrix.core.errors import ConfigError, InfraError
from matrix.notify import NotifyError, Request
from matrix.plan.notify import NotifyTable
from matrix.store import Store
from tests.app.stored import cell, judged, served
from tests.databases import on_both

HOOK = NotifyTable.model_validate({"kind": "webhook", "url": "env:HOOK"})


class Post:
    """Takes what is sent, or fails as told."""

    def __init__(self) -> None:
        self.sent: list[Request] = []
        self.error = ""

    def __call__(self, request: Request, *, allow_private: bool) -> None:
        if self.error:
            raise NotifyError(self.error)
        self.sent.append(request)

    @property
    def kinds(self) -> list[str]:
        return [request.body["kind"] for request in self.sent]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def clock() -> Iterator[Clock]:
    made = Clock()
    made.now = time.time() + 10
    yield made


def notifying(
    store: Store, post: Post, clock: Clock, said: list[str] | None = None, **tables: NotifyTable
) -> Notifying:
    lines = [] if said is None else said
    environ = {"HOOK": "https://hooks.example/services/T0/sEcReT"}
    return Notifying(store, Receivers("m.toml", tables or {"hook": HOOK}, post, environ), lines.append, clock)


def night(it: Notifying) -> None:
    it.queue(judged(it.store).series.unannounced())
    announce(it.store, lambda line: None)
    it.deliver()


@on_both
def test_one_message_a_cause_on_new_worsened_and_fixed(stored: Store, post: Post, clock: Clock) -> None:
    it = notifying(stored, post, clock)
    for draft in ("head-a", "head-b"):
        served(stored, cell("1.0", draft=draft), 2.5, at=1000)
    night(it)
    assert post.sent == []
    for draft in ("head-a", "head-b"):
        served(stored, cell("1.1", draft=draft), 1.6, at=2000)
    night(it)
    assert post.kinds == ["new"]
    body = post.sent[0].body
    assert (len(body["cells"]), body["revision"], body["standing"]) == (2, "1.1", 2)
    assert "2.500" in body["cells"][0]["before"] and body["cells"][0]["next"].startswith("matrix bisect run")
    night(it)
    assert post.kinds == ["new"]
    served(stored, cell("1.2", draft="head-a"), 1.0, at=3000)
    served(stored, cell("1.2", draft="head-b"), 1.6, at=3000)
    night(it)
    assert post.kinds == ["new", "worsened"]
    for draft in ("head-a", "head-b"):
        served(stored, cell("1.3", draft=draft), 2.5, at=4000)
    night(it)
    assert post.kinds == ["new", "worsened", "fixed"]
    assert "is healthy again" in post.sent[2].body["title"]
    night(it)
    assert len(post.sent) == 3


def fallen(stored: Store, it: Notifying) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    night(it)


def test_what_was_interrupted_before_it_was_announced_is_told_once(stored: Store, post: Post, clock: Clock) -> None:
    it = notifying(stored, post, clock)
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    it.queue(judged(stored).series.unannounced())  # killed here
    night(it)
    assert post.kinds == ["new"]


def test_a_later_cell_of_a_cause_that_was_told_is_no_news(stored: Store, post: Post, clock: Clock) -> None:
    it = notifying(stored, post, clock)
    fallen(stored, it)
    served(stored, cell("1.0", target="Other"), 2.5, at=1000)
    served(stored, cell("1.1", target="Other"), 1.6, at=2500)
    night(it)
    assert len({item.group for item in regressions(stored)}) == 1
    assert post.kinds == ["new"]


@on_both
def test_a_failure_is_told_waits_longer_each_time_and_is_given_up(stored: Store, post: Post, clock: Clock) -> None:
    said: list[str] = []
    it = notifying(stored, post, clock, said)
    post.error = "hooks.example answers HTTP 500: services/T0/sEcReT"
    fallen(stored, it)
    (view,) = stored.messages.newest()
    assert (view.status, view.attempts) == ("waiting", 1)
    it.deliver()
    assert stored.messages.newest()[0].attempts == 1, "its time has not come"
    pauses = []
    while view.status == "waiting":
        assert view.next_at is not None
        pauses.append(view.next_at - clock.now)
        clock.now = view.next_at
        it.deliver()
        (view,) = stored.messages.newest()
    assert pauses == sorted(pauses) and pauses[0] == pytest.approx(60) and len(pauses) == MOST_TRIES - 1
    assert view.status == "failed" and "matrix notify --again 1" in said[-1]
    assert "sEcReT" not in view.error + "".join(said)
    post.error = ""
    stored.messages.again(view.message_id)
    it.deliver()
    assert (post.kinds, stored.messages.counts()) == (["new"], {"sent": 1})


@on_both
def test_two_services_send_a_message_once(stored: Store, post: Post, clock: Clock) -> None:
    it = notifying(stored, post, clock)
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    it.queue(judged(stored).series.unannounced())
    ((view, _),) = stored.messages.due("m.toml", ["hook"], clock.now, 5)
    assert stored.messages.claim(view, clock.now + 60)
    assert not stored.messages.claim(view, clock.now + 60)
    it.deliver()
    assert post.sent == []


def test_an_acknowledged_regression_is_not_told_and_its_repair_is(stored: Store, post: Post, clock: Clock) -> None:
    served(stored, cell("1.0"), 2.5, at=1000)
    served(stored, cell("1.1"), 1.6, at=2000)
    known = regressions(judged(stored))
    for ack in acks_for([str(known[0].flip_id)], known, scope=None, reason="r", until=None, now=clock.now):
        stored.acks.add(ack)
    it = notifying(stored, post, clock)
    night(it)
    assert post.sent == []
    served(stored, cell("1.2"), 2.5, at=3000)
    night(it)
    assert post.kinds == ["fixed"]


def test_only_what_is_asked_for_is_told_and_texts_without_an_address_are_kept(
    stored: Store, post: Post, clock: Clock
) -> None:
    fixes = NotifyTable.model_validate({"kind": "webhook", "url": "env:HOOK", "on": ["fixed"]})
    issues = NotifyTable.model_validate({"kind": "github"})
    fallen(stored, notifying(stored, post, clock, fixes=fixes, issues=issues))
    assert post.sent == []
    (view,) = stored.messages.newest()
    assert (view.notifier, view.status) == ("issues", "kept")


def test_a_variable_that_is_not_set_and_an_unknown_name(stored: Store, post: Post, clock: Clock) -> None:
    unset = NotifyTable.model_validate({"kind": "slack", "url": "env:NOT_SET"})
    it = notifying(stored, post, clock, ops=unset)
    with pytest.raises(InfraError, match="variable NOT_SET is not set"):
        it.to.test("ops", sample_message())
    with pytest.raises(ConfigError, match="nobody is called `x`"):
        it.to.test("x", sample_message())


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"kind": "slack", "url": "https://hooks.slack.com/services/T/B/x"}, "holds a secret"),
        ({"kind": "webhook", "url": "https://me:pw@h/x"}, "holds a secret"),
        ({"kind": "webhook", "url": "https://h/x?token=1"}, "holds a secret"),
        ({"kind": "webhook", "url": "ftp://h/x"}, "no address"),
        ({"kind": "webhook"}, "needs a `url`"),
        ({"kind": "github", "url": "https://api.github.com/repos/a/b/issues"}, "needs a `token`"),
        ({"kind": "webhook", "url": "env:A B"}, "env:NAME"),
        ({"kind": "webhook", "url": "env:A", "token": "plain"}, "env:NAME"),
    ],
)
def test_a_config_that_would_store_a_secret_or_reach_nobody_is_refused(table: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        NotifyTable.model_validate(table)


def test_the_secret_is_in_no_row(stored: Store, post: Post, clock: Clock, tmp_path: Path) -> None:
    fallen(stored, notifying(stored, post, clock))
    assert post.sent[0].url.endswith("sEcReT")
    rows = [stored.messages.get(v.message_id) for v in stored.messages.newest()]
    assert "sEcReT" not in json.dumps([str(row) for row in rows])
