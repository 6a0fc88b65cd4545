"""Feeds, badges, tables, plots and reports as files."""

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import feedparser
import pytest
from fastapi.testclient import TestClient

from matrix.app.draft import DraftView
from matrix.app.regression import Regression
from matrix.store.narrow import Narrow
from matrix.store.views import Heatmap, Overview, SeriesRow, Square
from tests.web import build, worlds
from tests.web.conftest import client_of
from tests.web.reader import DictReader
from tests.web.test_regressions import regression
from web.files.feed import entry_id
from web.files.tables import defused

HOSTILE = "<script>alert(1)</script>\x1b[31m\x00\u202e & \"'"


def feed(*flips: Regression, path: str = "/feed.atom") -> feedparser.FeedParserDict:
    answer = client_of(DictReader(flips=list(flips))).get(path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/atom+xml")
    return feedparser.parse(
        answer.content,
        response_headers={"content-location": "http://host/feed.atom", "content-type": answer.headers["content-type"]},
    )


def test_the_feed_is_sound_and_its_links_lead_to_the_series() -> None:
    found = feed(regression(), regression(flip_id=2, series_key="other"))
    assert not found.bozo and found.version == "atom10"
    assert [entry.link for entry in found.entries][1] == "http://host/series/other"
    assert len({entry.id for entry in found.entries}) == 2 and all(entry.updated for entry in found.entries)


def test_what_is_judged_again_is_no_new_entry() -> None:
    flip = regression()
    assert entry_id(flip) == entry_id(replace(flip, flip_id=99, reason="said better", after="collapsed"))
    assert entry_id(flip) != entry_id(replace(flip, to_revision="9.9"))
    assert entry_id(flip) != entry_id(replace(flip, series_key="other"))
    assert entry_id(flip) != entry_id(replace(flip, metric="speed"))


def test_one_pair_of_revisions_is_one_entry() -> None:
    (entry,) = feed(
        regression(reason="the newer"), regression(flip_id=2, change="new failure", reason="before")
    ).entries
    assert "the newer" in entry.summary


def test_a_filter_is_a_feed_of_its_own() -> None:
    flips = [regression(), regression(flip_id=2, engine="sglang", series_key="other")]
    whole, some = feed(*flips), feed(*flips, path="/feed.atom?engine=sglang&state=degraded")
    assert (len(whole.entries), len(some.entries)) == (2, 1) and whole.feed.id != some.feed.id
    assert feed(*flips, path="/feed.atom?state=broken").entries == []


def test_hostile_names_cannot_break_the_feed() -> None:
    found = feed(regression(series=HOSTILE, reason=HOSTILE))
    assert (
        not found.bozo
        and "<script" not in client_of(DictReader(flips=[regression(reason=HOSTILE)])).get("/feed.atom").text
    )


def test_a_wrong_filter_of_a_feed_is_refused_as_json() -> None:
    answer = client_of(DictReader()).get("/feed.atom?state=fine")
    assert answer.status_code == 422 and "known: healthy" in answer.json()["hint"]


class Narrowed(DictReader):
    """Its overview obeys the names that it is narrowed to, as the store's does."""

    def overview(self, narrow: Narrow = Narrow(), /) -> Overview:  # noqa: B008
        def fits(row: SeriesRow) -> bool:
            return narrow.target in (None, row.target) and narrow.draft in (None, row.draft)

        maps = [
            replace(h, rows=[r for r in h.rows if fits(r)]) for h in self.seen.heatmaps if h.engine == narrow.engine
        ]
        return replace(self.seen, heatmaps=maps)


def square(revision: str, state: str, length: float | None) -> Square:
    return Square(revision, state, "", "", f"run-{revision}", length, None)


def badges(*squares: Square | None, **about: str | None) -> TestClient:
    given = {"target": "org/model", "draft": "org/head", "method": "eagle3"} | about
    row = SeriesRow(
        "key", spec="e3", k=3, launch="", workload="w", hardware="h", executor="venv", squares=list(squares), **given
    )  # type: ignore[arg-type]
    heatmap = Heatmap("sglang", ["0.5.4", "0.5.5", "0.5.6.dev1"], [row])
    return client_of(Narrowed(seen=Overview([], [], [heatmap], None, 1)))


def said(client: TestClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200 and answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "public, max-age=300"
    return ET.fromstring(answer.text).attrib["aria-label"]


def test_a_badge_says_what_the_newest_revision_was_found_to_be() -> None:
    client = badges(square("0.5.4", "healthy", 2.195), square("0.5.5", "collapsed", 1.04), None)
    for path in ("/badge/sglang/org/model/org/head.svg", "/badge.svg?engine=sglang&target=org/model&draft=org/head"):
        assert said(client, path) == "sglang 0.5.5: collapsed 1.04"


def test_a_badge_of_what_was_never_run_says_so() -> None:
    client = badges(square("0.5.4", "unknown", None), None, None)
    assert said(client, "/badge/sglang/org/model/org/head.svg") == "sglang 0.5.4: unknown"
    for path in ("/badge/vllm/org/model/org/head.svg", "/badge/sglang/org/model/other.svg", "/badge/sglang/x/y.svg"):
        assert said(client, path).endswith("unknown: not tested")


def test_a_badge_may_leave_nightlies_out_and_takes_no_baseline_for_a_draft() -> None:
    client = badges(square("0.5.4", "healthy", 2.0), None, square("0.5.6.dev1", "broken", None))
    assert said(client, "/badge.svg?engine=sglang&target=org/model") == "sglang 0.5.6.dev1: broken"
    assert said(client, "/badge.svg?engine=sglang&target=org/model&kind=release") == "sglang 0.5.4: healthy 2.00"
    none = badges(square("0.5.4", "healthy", None), None, None, method="none", draft=None)
    assert said(none, "/badge.svg?engine=sglang&target=org/model").endswith("not tested")


def test_names_in_a_badge_are_escaped() -> None:
    text = client_of(DictReader()).get("/badge.svg", params={"engine": HOSTILE, "target": HOSTILE}).text
    assert "<script" not in text and ET.fromstring(text) is not None


def test_runs_as_csv_have_the_columns_of_results() -> None:
    rows = {
        f"r-{n}": build.run(row=build.row(run_id=f"r-{n}", engine="vllm" if n % 2 else "sglang")) for n in range(450)
    }
    client = client_of(DictReader(runs=rows))
    whole = list(csv.DictReader(io.StringIO(client.get("/results.csv").text)))
    assert [row["run_id"] for row in whole] == list(rows) and whole[0]["topk"] == ""
    assert json.loads(whole[0]["per_position"]) == [0.62, 0.33, 0.158] and float(whole[0]["accept_length"]) == 2.108
    assert len(list(csv.DictReader(io.StringIO(client.get("/results.csv?engine=vllm").text)))) == 225


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_a_spreadsheet_runs_nothing(text: str) -> None:
    assert defused(text) == f"'{text}"
    assert (defused("a=1"), defused(-1.5), defused(None)) == ("a=1", "-1.5", "")


def test_the_whole_matrix_is_one_document() -> None:
    client = client_of(worlds.every_state())
    found = client.get("/api/matrix.json").json()
    assert found["format"] == 1 and found["series"]
    for series in found["series"]:
        assert series == client.get(f"/api/series/{series['series_key']}").json()
    assert client_of(DictReader()).get("/api/matrix.json").json()["series"] == []


def test_a_regression_is_a_report_to_paste() -> None:
    run = build.run()
    runs = {"r-1": replace(run, lock=["torch==2.8"]), "r-2": replace(run, lock=["torch==2.9"], excerpt="KeyError: <b>")}
    item = regression(from_run="r-1", to_run="r-2", series_key="s", target="a|b", spec="<i>*")
    client = client_of(DictReader(flips=[item], runs=runs))
    answer = client.get(f"/regressions/{item.flip_id}.md")
    assert answer.headers["content-type"].startswith("text/markdown")
    for words in (
        item.to_revision,
        "2.195",
        "- torch==2.8",
        "+ torch==2.9",
        "    KeyError: <b>",
        item.use,
        item.fault.text,
    ):
        assert words in answer.text
    assert "<i>" not in answer.text.split("    ")[0]
    assert client.get("/regressions/77.md").status_code == 404 and "hint" in client.get("/regressions/77.md").json()
    assert "not measured" not in client_of(DictReader(flips=[item])).get(f"/regressions/{item.flip_id}.md").text


def test_a_draft_has_its_plots() -> None:
    squares = [square("0.5.4", "healthy", 2.0 + n / 10) for n in range(3)]
    rows = [
        SeriesRow(f"key{n}", "org/model", "org/head", "eagle3", f"s{n}", n + 1, "", "w", "h", "venv", [replace(s, run_id=f"r-{n}", speedup=1.2)])
        for n, s in enumerate(squares)
    ]  # fmt: skip
    view = DraftView("org/head", [], ["eagle3"], ["org/model"], [Heatmap("sglang", ["0.5.4"], rows)], [], [], [], [])
    runs = {f"r-{n}": build.run(row=build.row(run_id=f"r-{n}", steps=n + 1, topk=4, draft_tokens=8)) for n in range(3)}
    client = client_of(DictReader(all_drafts={"org/head": view}, runs=runs))
    said = client.get("/plots/settings.svg?draft=org/head").text
    assert all(
        words in said
        for words in ("1 steps", "3 steps", "top-k 4", "draft tokens", "2.20", "3 steps, top-k 4, 8 draft tokens: 2.20")
    )
    assert "accept length 2.10, 1.20 times" in client.get("/plots/speedup.svg?draft=org/head").text
    assert client.get("/plots/settings.svg?draft=org/head&engine=vllm").status_code == 404
    assert client.get("/drafts/org/head").text.count("As a file") == 2


def test_each_plot_is_a_file_that_stands_alone() -> None:
    client = client_of(worlds.every_state())
    key = client.get("/api/matrix.json").json()["series"][0]["series_key"]
    text = client.get(f"/series/{key}/accept.svg").text
    root = ET.fromstring(text)
    assert (
        root.tag.endswith("svg")
        and "prefers-color-scheme:dark" in text
        and len(root.attrib["aria-labelledby"].split()) == 2
    )
    missing = client.get("/series/none/accept.svg")
    assert missing.status_code == 404 and missing.json()["hint"]
