"""The page and the twin that set two sides against each other."""

from dataclasses import replace
from typing import Any

import pytest

from matrix.app.compared import CellView, Compared, MetricView, PromptView, Shared, SideView
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader

SIDE = SideView({"revision": "0.27.1"}, "5e1e000000000001", "r-0001", "ok")
NAMES = {"engine": "vllm", "target": "tiny-llama", "spec": "eagle3", "launch": "--tp 2"}
FELL = MetricView(
    "accept-length", 2.11, 1.02, -0.5166, -0.53, -0.50, 0.02, 36.3, 1e-9, 2e-9, 16, "", "healthy", "collapsed", "regression", True,
    [PromptView("code-01", 2.2, 1.01, -0.54), PromptView("chat-01", None, 1.0, None)],
)  # fmt: skip
SAME = replace(FELL, metric="speed", word="", clear=False, state_after="healthy", change=0.001, multiple=0.1)


def cell(**changes: Any) -> CellView:
    return replace(CellView(NAMES, SIDE, replace(SIDE, run_id="r-0102"), "", [FELL, SAME]), **changes)


def compared(*cells: CellView, **changes: Any) -> Compared:
    base = Compared("0.27.1", "0.32.0", "", ["revision"], list(cells or [cell()]), [Shared("k fell from 4 to 3", 1)])
    return replace(base, **changes)


def page(*cells: CellView) -> Node:
    client = client_of(DictReader(compared={("0.27.1", "0.32.0"): compared(*cells)}))
    return parse(client.get("/compare?a=0.27.1&b=0.32.0").text)


def test_a_change_shows_its_word_its_figures_and_its_runs() -> None:
    shown = page()
    table = shown.all("table", "compared")[0]
    (row,) = table.all("tr", "opens")
    for words in ("regression", "2.110", "1.020", "−52 %", "36.3", "healthy", "collapsed"):
        assert words in row.text
    assert [a.attrs["href"] for a in row.all("a")][1:] == ["/runs/r-0001", "/runs/r-0102"]
    prompts = table.one("table", "prompts").text
    assert "code-012.2001.010−54 %" in prompts and "chat-01none1.000unknown" in prompts
    assert "k fell from 4 to 3" in shown.text and "1 cell on both sides; 1 regression" in shown.one(id_="summary").text


def test_what_did_not_change_is_folded_away() -> None:
    shown = page()
    assert "Without a clear change 1" in shown.text
    (folded,) = [d for d in shown.all("details") if "Show 1 row" in d.text]
    assert "open" not in folded.attrs
    assert "open" in next(d for d in page(cell(metrics=[SAME])).all("details") if "Show 1 row" in d.text).attrs


def test_cells_of_one_side_alone_are_named() -> None:
    text = page(cell(), cell(after=None, word="disappeared", metrics=[], names=NAMES | {"target": "gone"})).text
    assert "On one side alone 1" in text and "disappeared gone / eagle3" in text


def test_each_row_leads_to_itself_alone() -> None:
    (address,) = {a.attrs["href"] for a in page().all("a") if a.attrs["href"].startswith("/compare?a=0.27.1")}
    assert "launch%3D%27--tp+2%27" in address and "target%3Dtiny-llama" in address


def test_without_sides_there_is_a_form_and_what_is_wrong_is_said() -> None:
    client = client_of(DictReader())
    empty = client.get("/compare")
    assert empty.status_code == 200 and {"a", "b", "where"} == {n.attrs["name"] for n in parse(empty.text).all("input")}
    missing = client.get("/compare?a=1&b=2")
    assert missing.status_code == 404 and parse(missing.text).one("section").attrs["role"] == "alert"
    assert "needed" in client.get("/api/v1/compare?a=1").json()["detail"]
    assert client.get("/api/v1/compare?a=1").status_code == 422
    assert client.get("/api/v1/compare?a=1&b=2").status_code == 404


@pytest.mark.parametrize("wide", [1, 40])
def test_long_comparisons_keep_their_prompts_elsewhere(wide: int) -> None:
    cells = [cell(names=NAMES | {"target": f"t{n}"}, metrics=[FELL]) for n in range(wide)]
    assert len(page(*cells).all("table", "prompts")) == min(wide, 20)


def test_the_twin_holds_every_prompt() -> None:
    client = client_of(DictReader(compared={("0.27.1", "0.32.0"): compared()}))
    body = client.get("/api/v1/compare?a=0.27.1&b=0.32.0").json()
    assert len(body["cells"][0]["metrics"][0]["prompts"]) == 2 and body["varying"] == ["revision"]
