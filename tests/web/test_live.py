"""The fragment that a page with a running sweep asks for."""

import time
from dataclasses import replace

from fastapi.testclient import TestClient

from matrix.store.narrow import EVERYTHING, Narrow
from matrix.store.views import Overview
from tests.web import build, worlds
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader
from web.pace import interval


def poll(client: TestClient, page: Node) -> Node:
    return parse(client.get(page.one(id_="live").attrs["hx-get"]).text)


def partials(answer: Node) -> dict[str, Node]:
    return {p.attrs["hx-target"]: p for p in answer.all("hx-partial")}


def changed(reader: DictReader, column: int, **values: object) -> None:
    """Change one square of the first row."""
    heatmap = reader.seen.heatmaps[0]
    squares = list(heatmap.rows[0].squares)
    squares[column] = build.square(**values)
    row = replace(heatmap.rows[0], squares=squares)
    table = replace(heatmap, rows=[row, *heatmap.rows[1:]])
    reader.seen = replace(reader.seen, heatmaps=[table, *reader.seen.heatmaps[1:]])


def test_nothing_changed_sends_only_the_strip() -> None:
    client = client_of(worlds.every_state())
    answer = poll(client, parse(client.get("/").text))
    assert partials(answer) == {}
    assert answer.one(id_="live").text.startswith("Sweep 3")


def test_only_the_square_that_changed_travels() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    page = parse(client.get("/").text)
    changed(reader, 9, text="2.25", run_id="r-0900")
    answer = poll(client, page)
    (target, part), *rest = partials(answer).items()
    assert (target, rest) == ("#sq-5e1e000000000001-9", [])
    assert part.one("a").attrs["href"] == "/runs/r-0900"
    assert partials(poll(client, answer)) == {}


def test_a_new_regression_brings_its_section() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    page = parse(client.get("/").text)
    reader.seen = replace(
        reader.seen, regressions=[build.flip(flip_id=77, reason="Just now."), *reader.seen.regressions]
    )
    assert "Just now." in partials(poll(client, page))["#regressions"].text


def test_new_rows_or_columns_reload_the_page() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    page = parse(client.get("/").text)
    heatmap = reader.seen.heatmaps[0]
    reader.seen = replace(reader.seen, heatmaps=[replace(heatmap, revisions=[*heatmap.revisions, "0.99"])])
    answer = client.get(page.one(id_="live").attrs["hx-get"])
    assert answer.headers["hx-refresh"] == "true"


def test_a_forgotten_or_forged_mark_is_harmless() -> None:
    client = client_of(worlds.every_state())
    mark = parse(client.get("/").text).one(id_="live").attrs["hx-get"].split("=")[1]
    shape = mark.split(".")[0]
    everything = parse(client.get(f"/fragments/live?have={shape}.feedfeedfeedfeed.0").text)
    assert "#sq-5e1e000000000001-0" in partials(everything) and "#regressions" in partials(everything)
    assert client.get("/fragments/live?have=<script>").headers["hx-refresh"] == "true"


def test_many_pages_do_not_make_the_server_remember_without_end() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    first = parse(client.get("/").text)
    for n in range(40):
        changed(reader, 9, text=f"{n}")
        client.get("/")
    assert len(partials(poll(client, first))) > 1, "forgotten, so everything is sent"


def test_polling_ends_with_the_sweep() -> None:
    reader = worlds.every_state()
    client = client_of(reader)
    page = parse(client.get("/").text)
    assert reader.seen.sweep
    reader.seen = replace(reader.seen, sweep=replace(reader.seen.sweep, status="done", finished_at=build.NOW))
    assert "hx-get" not in poll(client, page).one(id_="live").attrs


class Slow(DictReader):
    def overview(self, narrow: Narrow = EVERYTHING, /) -> Overview:
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        return super().overview(narrow)


def test_a_page_whose_answers_are_dear_asks_less_often() -> None:
    reader = worlds.every_state()
    slow = Slow(seen=reader.seen)
    client = client_of(slow, poll_s=0.5)
    page = parse(client.get("/").text)
    for shown in (page, poll(client, page)):
        trigger = shown.one(id_="live").attrs["hx-trigger"]
        assert float(trigger.removeprefix("every ").removesuffix("s")) >= 2


def test_cheap_answers_keep_the_pace_that_was_asked_for() -> None:
    assert interval(2.0, 0.01) == 2.0
    assert interval(2.0, 0.2) == 4.0
