from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from matrix.core.state import State
from matrix.store.views import Overview
from tests.web import build, worlds
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.parts import series_row
from tests.web.reader import DictReader


def overview(client: TestClient) -> Node:
    return parse(client.get("/").text)


def test_regressions_come_first_with_their_sentence_and_links(client: TestClient) -> None:
    html = client.get("/").text
    assert (
        html.index('id="regressions"') < html.index('id="live"') < html.index('class="heat"') < html.index('id="fixed"')
    )
    item = parse(html).one(id_="regressions").all("li", "flip")[0]
    assert "Loads in 0.27.1 and crashes in 0.32.0 at load" in item.text
    links = [a.attrs["href"] for a in item.all("a")]
    assert links[:3] == ["/series/5e1e000000000002", "/runs/r-0002", "/runs/r-0102"]
    assert links[3].startswith("/compare?a=0.27.1&b=0.32.0&")
    assert item.one("span", "word").text == "regression"


@pytest.mark.parametrize("state", list(State))
def test_each_state_has_its_own_shape_text_and_colour(client: TestClient, state: State) -> None:
    page = overview(client)
    row = page.one("table", "heatmap") if len(page.all("table", "heatmap")) == 1 else page.all("table", "heatmap")[0]
    square = next(s for s in row.all(cls="sq") if f"s-{state}" in s.classes)
    assert square.one("use").attrs["href"] == f"#g-{state}"
    assert state in square.text
    assert square.attrs["href"] == "/runs/r-0001"


def test_shapes_of_all_states_differ(client: TestClient) -> None:
    symbols = {s.attrs["id"]: repr(s.children) for s in overview(client).all("symbol")}
    drawn = [symbols[f"g-{state}"] for state in State] + [symbols["g-queued"], symbols["g-running"]]
    assert len(set(drawn)) == len(State) + 2


def test_a_square_shows_the_accept_length_and_an_unplanned_one_says_so(client: TestClient) -> None:
    rows = overview(client).all("table", "heatmap")[0].all("tr")
    mapped = next(r for r in rows if r.all("th") and r.all("th")[0].text.startswith("eagle3-map"))
    squares = [td.children[0] for td in mapped.all("td")]
    assert all(isinstance(s, Node) for s in squares)
    texts = [s.text for s in squares if isinstance(s, Node)]
    assert texts[:8] == ["·not planned"] * 8
    assert texts[8] == "2.11, healthy"
    assert texts[9] == "load crash, broken"


def test_running_square_shows_its_phase_and_queued_waits() -> None:
    reader = worlds.every_state()
    row = series_row(
        "k", "eagle3", [build.square(phase="warmup"), build.square(phase="queued", state="degraded", text="1.4")]
    )
    reader.seen = replace(reader.seen, heatmaps=[replace(reader.seen.heatmaps[0], revisions=["1", "2"], rows=[row])])
    running, queued = overview(client_of(reader)).one("table", "heatmap").all(cls="sq")
    assert ("s-running" in running.classes, running.text) == (True, "warmup, running")
    assert ("s-queued" in queued.classes, queued.text) == (True, "queued")
    assert queued.attrs["title"] == "queued; before: degraded 1.4, Within the noise."


def test_legend_explains_every_state_and_the_unplanned(client: TestClient) -> None:
    legend = overview(client).one("section", "legend").text
    assert all(state in legend for state in State)
    assert "not planned" in legend


def test_strip_polls_while_running_and_not_after() -> None:
    running = overview(client_of(worlds.every_state(running=True), poll_s=2.0)).one(id_="live")
    assert running.attrs["hx-get"].startswith("/fragments/live?have=")
    assert running.attrs["hx-trigger"] == "every 2.0s"
    assert (
        "5 of 8 cells" in running.text
        and "about 2 min 8 s left" in running.text
        and "3 min 12 s elapsed" in running.text
    )
    done = overview(client_of(worlds.every_state(running=False))).one(id_="live")
    assert not [name for name in done.attrs if name.startswith("hx-")]
    assert "took 3 min 7 s" in done.text


def test_remaining_time_that_nothing_allows_to_estimate_is_unknown() -> None:
    reader = worlds.every_state()
    assert reader.seen.sweep
    reader.seen = replace(reader.seen, sweep=replace(reader.seen.sweep, eta_s=None))
    assert "remaining time unknown" in overview(client_of(reader)).one(id_="live").text


def test_empty_database_says_what_to_type() -> None:
    page = overview(client_of(DictReader()))
    assert "Nothing has been measured yet" in page.text
    assert page.one("code", id_="first").raw == "matrix init\nmatrix sweep"
    assert not page.all("table")


def test_many_regressions_are_cut_with_a_link_to_all() -> None:
    flips = [build.flip(flip_id=n) for n in range(30)]
    region = overview(client_of(DictReader(seen=Overview(flips, [], [], None, 9)))).one(id_="regressions")
    assert len(region.all("li", "flip")) == 8
    assert ("/regressions", "All 30") in [(a.attrs["href"], a.text) for a in region.all("a")]


def test_rows_say_only_what_tells_them_apart() -> None:
    reader = worlds.every_state()
    rows = [
        series_row("a", "eagle3", [build.square()]),
        series_row("b", "eagle3", [build.square()], hardware="H200 x 1"),
    ]
    reader.seen = replace(reader.seen, heatmaps=[replace(reader.seen.heatmaps[0], revisions=["1"], rows=rows)])
    notes = [small.text for small in overview(client_of(reader)).one("table", "heatmap").all("small")]
    assert notes == ["tiny-eagle3 · k 3 · hardware cpu x 2", "tiny-eagle3 · k 3 · hardware H200 x 1"]
