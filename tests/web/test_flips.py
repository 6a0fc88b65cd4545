import pytest

from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader
from web.flips import shown_flips


def item(**values: object) -> Node:
    client = client_of(DictReader(flips=[build.flip(**values)]))
    return parse(client.get("/regressions?standing=false").text).one("li", "flip")


@pytest.mark.parametrize(
    ("change", "tone"),
    [
        ("regression", "bad"),
        ("new failure", "bad"),
        ("still failing", "bad"),
        ("fixed", "good"),
        ("new pass", "good"),
        ("appeared", ""),
        ("disappeared", ""),
    ],
)
def test_only_falls_and_recoveries_are_coloured(change: str, tone: str) -> None:
    assert shown_flips([build.flip(change=change)])[0].tone == tone


def test_the_first_revision_has_nothing_before_it() -> None:
    shown = item(from_revision="", from_run=None, before="unknown", change="new failure", standing=False)
    assert "unknown" not in shown.text and "then" not in shown.text
    assert "the first revision measured, never healthy before" in shown.text


def test_a_regression_that_no_longer_stands_was_fixed() -> None:
    assert "fixed later" in item(standing=False).text
    assert "fixed later" not in item(standing=True).text


def test_a_run_that_is_gone_is_no_link() -> None:
    links = [a.attrs["href"] for a in item(from_run=None).all("a")]
    assert [href for href in links if href.startswith("/runs/")] == ["/runs/r-0102"]


def test_the_first_revision_measured_has_nothing_to_be_compared_with() -> None:
    assert "Compare" in item().text and "Compare" not in item(from_revision="", from_run=None).text


def test_a_flip_without_a_reason_says_so() -> None:
    assert "No reason was recorded." in item(reason="").text
