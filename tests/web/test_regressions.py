"""The page of regressions: a block for each cause, and what explains each cell."""

from dataclasses import asdict
from typing import Any

import pytest

from matrix.app.regression import AckView, ExpectationView, FaultView, Regression
from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader

FAULT = FaultView("engine", "engine: only Qwen drafts on SGLang fell", ["with the release came torch 2.8.0 -> 2.9.0"])
NUMBERS = {
    "before": 2.195,
    "after": 1.6,
    "change": -0.27,
    "low": -0.3,
    "high": -0.24,
    "pairs": 64,
    "q": 1e-4,
    "noise": 0.003,
}
PUBLISHED = ExpectationView("measured 1.60, published 2.2 on mt-bench, -27 %", "https://example.org/card")


def regression(**values: Any) -> Regression:
    given = {
        "group": 1, "fault": FAULT, "numbers": NUMBERS, "value_before": 2.195, "value_after": 1.6, "now": "degraded", "after": "degraded",
        "use": "0.27.1", "expectations": [PUBLISHED], "next": "matrix sweep --force engine=sglang",
    }  # fmt: skip
    flip = asdict(build.flip())
    return Regression(**flip | given | values)


def page(*items: Regression, path: str = "/regressions?standing=false") -> Node:
    return parse(client_of(DictReader(flips=list(items))).get(path).text)


def test_one_cause_is_one_block_with_its_cells() -> None:
    shown = page(regression(), regression(flip_id=2, series="another"), regression(flip_id=3, group=3))
    blocks = shown.all("section", "group")
    assert [len(block.all("li", "flip")) for block in blocks] == [2, 1]
    assert [block.one("p", "cause").text for block in blocks] == [FAULT.text, FAULT.text]
    assert blocks[0].one("ul", "evidence").text == FAULT.evidence[0]
    assert "2 cells, group 1" in blocks[0].text and "1 cell, group 3" in blocks[1].text


def test_the_figures_and_what_to_do_are_there() -> None:
    text = page(regression()).one("li", "flip").text
    for words in ("2.195", "1.600", "-27 %", "-30..-24 %", "64", "0.0001", "0.3 %", "use 0.27.1", "matrix sweep --force engine=sglang"):  # fmt: skip
        assert words in text


def test_what_was_not_measured_is_said() -> None:
    text = page(regression(numbers={}, value_after=None)).one("li", "flip").text
    assert "not measured" in text and "interval" not in text


def test_fixed_ones_say_where() -> None:
    item = regression(
        status="fixed", standing=False, now="healthy", fixed_in="0.33.0", use="0.27.1 or >= 0.33.0", next=None
    )
    text = page(item).one("li", "flip").text
    assert "healthy now; fixed in 0.33.0; use 0.27.1 or >= 0.33.0" in text and "Next step" not in text


def test_an_acknowledged_one_stays_visible_and_is_not_red() -> None:
    item = regression(status="acknowledged", ack=AckView(4, "group", "known upstream", None, build.NOW))
    shown = page(item).one("li", "flip")
    assert "Acknowledged (group) for good: known upstream" in shown.text
    assert [word.classes for word in shown.all("span", "word") if word.text == "acknowledged"] == [{"word"}]
    again = page(regression(ack_ended="acknowledgement 4 has expired")).one("li", "flip")
    assert "Counts again: acknowledgement 4 has expired" in again.text


@pytest.mark.parametrize(
    ("link", "linked"), [("https://example.org/card", True), ("javascript:alert(1)", False), ("", False)]
)
def test_only_web_addresses_become_links(link: str, linked: bool) -> None:
    found = page(regression(expectations=[ExpectationView("published 2.2", link)])).one("ul", "published")
    assert [a.attrs["href"] for a in found.all("a")] == ([link] if linked else [])
    assert "published 2.2" in found.text


def test_names_from_outside_are_escaped() -> None:
    fault = FaultView("engine", "<script>alert(1)</script>", ["<b>x</b>"])
    reader = DictReader(flips=[regression(fault=fault, next="x; rm -rf <i>", use="<u>")])
    text = client_of(reader).get("/regressions").text
    assert not any(tag in text for tag in ("<script>alert", "<b>x", "<i>", "<u>"))


def test_series_and_run_pages_explain_too() -> None:
    item = regression(series_key="5e1e000000000001", to_run="r-0001")
    reader = DictReader(
        flips=[item],
        all_series={"5e1e000000000001": build.series(flips=[build.flip()])},
        runs={"r-0001": build.run(), "r-0002": build.run(row=build.row(run_id="r-0002"))},
        published={"r-0001": [PUBLISHED], "r-0002": [PUBLISHED]},
    )
    client = client_of(reader)
    assert FAULT.text in parse(client.get("/series/5e1e000000000001").text).one("li", "flip").text
    run = parse(client.get("/runs/r-0001").text)
    assert run.one("p", "cause").text == FAULT.text and len(run.all("ul", "published")) == 1
    healthy = parse(client.get("/runs/r-0002").text)
    assert healthy.all("p", "cause") == [] and PUBLISHED.text in healthy.one("ul", "published").text
    assert client.get("/api/runs/r-0002/expectations").json() == [asdict(PUBLISHED)]
    assert client.get("/api/runs/gone/expectations").status_code == 404


def test_the_twin_keeps_to_a_series() -> None:
    reader = DictReader(flips=[regression(), regression(flip_id=2, series_key="other")])
    found = client_of(reader).get("/api/regressions?series=other").json()
    assert [item["flip_id"] for item in found] == [2]
    assert found[0]["fault"] == asdict(FAULT)


def test_a_standing_one_leads_to_where_it_is_acknowledged_and_an_acknowledged_one_to_its_report() -> None:
    known = regression(ack=AckView(4, "cell", "known upstream", None, build.NOW))
    for item, words in (
        (regression(), "Acknowledge it, or copy its report"),
        (known, "Copy its report"),
        (regression(standing=False, status="fixed"), "Copy its report"),
    ):
        assert [a.text for a in page(item).all("a") if a.attrs["href"] == "/regressions/1"] == [words]


def numbered(count: int, **values: Any) -> list[Regression]:
    return [regression(flip_id=n, group=n, **values) for n in range(1, count + 1)]


def links(shown: Node) -> dict[str, str]:
    return {a.text: a.attrs["href"] for a in shown.all("a")}


def test_the_list_comes_in_pages_that_lead_to_each_other() -> None:
    items = numbered(120)
    seen = []
    address, found = "/regressions?standing=false&engine=vllm", []
    while address:
        shown = page(*items, path=address)
        seen.append(address)
        found += [block.attrs["aria-labelledby"] for block in shown.all("section", "group")]
        address = links(shown).get("Older", "")
    assert len(seen) == 3 and all("engine=vllm" in one and "standing=false" in one for one in seen)
    assert found == [f"group-{n}" for n in range(1, 121)]
    assert "101 to 120 of 120" in shown.text
    assert links(shown)["Newer"] == seen[1]
    assert "There are no more" in page(*items, path="/regressions?page=9").text


def test_the_list_is_filtered_as_the_overview_is() -> None:
    items = [*numbered(2, target="one"), *numbered(3, target="two")]
    shown = page(*items, path="/regressions?target=two")
    assert len(shown.all("section", "group")) == 3
    form = shown.one("form")
    assert form.attrs["action"] == "/regressions"
    names = {n.attrs["name"] for n in (*form.all("select"), *form.all("input"))}
    assert {"engine", "target", "state", "since"} <= names and not names & {"group", "hardware"}
    assert links(shown)["Show all that were seen"] == "/regressions?target=two&standing=false"
    assert links(shown)["This page as JSON"] == "/api/regressions?target=two"
    hidden = [n.attrs for n in page(*items).one("form").all("input") if n.attrs["type"] == "hidden"]
    assert [(n["name"], n["value"]) for n in hidden] == [("standing", "false")]
    none = page(*items, path=f"/regressions?since={build.NOW + 1}")
    assert "None fits this filter" in none.text
    api = client_of(DictReader(flips=items)).get("/api/regressions?target=two").json()
    assert [item["flip_id"] for item in api] == [1, 2, 3]
