"""What each kind of receiver gets, also of hostile names."""

from dataclasses import asdict, replace

import pytest

from matrix.core.message import CellNews, Message, MessageKind, message_from
from matrix.notify import MAKERS, github, slack

CELL = CellNews(5, "vllm / t / e / w", "healthy (2.5)", "degraded (1.9)", "fell by 24 %", "matrix bisect run --x y")
TOLD = Message(MessageKind.NEW, 5, "vllm", "0.32.0", "vllm 0.32.0: it fell", "the draft file changed", (CELL,), 1)


def test_a_webhook_gets_every_field_and_the_key() -> None:
    made = MAKERS["webhook"](TOLD, "https://h/x", "t0ken")
    assert made.body["key"] == "new 5"
    assert made.body["cells"] == [asdict(CELL)]
    assert (made.body["total"], made.headers) == (1, {"Authorization": "Bearer t0ken"})


@pytest.mark.parametrize("kind", list(MAKERS))
def test_a_thousand_cells_are_counted_not_sent(kind: str) -> None:
    many = replace(TOLD, cells=tuple(replace(CELL, flip=i, reason=f"{i} " * 300) for i in range(1000)))
    text = str(MAKERS[kind](many, "https://h/x", None).body)
    assert len(text) < 2**16 + 1000
    assert "1000" in text or "more" in text


def test_slack_reads_no_link_mention_or_bold_in_names() -> None:
    hostile = replace(TOLD, title="<!channel> *x* & <https://evil|click>\nsecond line")
    text = slack.text(hostile)
    assert text.splitlines()[0] == "*&lt;!channel&gt; ∗x∗ &amp; &lt;https://evil|click&gt; second line*"
    assert "`matrix bisect run --x y`" in text


def test_an_issue_mentions_nobody_and_keeps_its_table() -> None:
    hostile = replace(TOLD, cells=(replace(CELL, cell="a|b @you #1 <script>"),))
    text = github.text(hostile)
    assert "@you" not in text and "#1" not in text and "<script" not in text
    assert "a\\|b" in text
    assert "    matrix bisect run --x y" in text


def test_a_message_comes_back_from_its_row() -> None:
    assert message_from(asdict(TOLD) | {"cells": [asdict(CELL)]}) == TOLD


def test_keys_tell_news_apart() -> None:
    fixed = replace(TOLD, kind=MessageKind.FIXED, revision="0.33.0")
    assert len({TOLD.key, fixed.key, replace(fixed, revision="0.34.0").key, replace(TOLD, cause=6).key}) == 4
