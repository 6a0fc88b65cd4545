from dataclasses import replace

from fastapi.testclient import TestClient

from matrix.store.views import SeriesView
from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader
from tests.web.worlds import every_state

KEY = "5e1e000000000001"


def page_of(client: TestClient) -> Node:
    return parse(client.get(f"/series/{KEY}?plots=true").text)


def only(series: SeriesView) -> Node:
    return page_of(client_of(DictReader(all_series={KEY: series})))


def test_both_plots_are_there_and_readable_by_ear(client: TestClient) -> None:
    accept, speed = (figure.all("svg")[0] for figure in page_of(client).all("figure"))
    assert accept.attrs["role"] == "img"
    assert accept.all("title")[0].text.startswith("Accept length of")
    assert "0.25.0: 1.02 (collapsed); 0.26.0" in accept.all("desc")[0].text
    assert "0.27.0: not measured (broken)" in accept.all("desc")[0].text
    assert "0.27.0: not measured (not judged)" in speed.all("desc")[0].text


def test_table_holds_the_figures_newest_first(client: TestClient) -> None:
    table = page_of(client).one("table", "points")
    revisions = [th.text for th in table.all("th") if th.attrs.get("scope") == "row"]
    assert revisions[0] == "0.31.0rc1.dev20261103+g3f2a91c5d" and revisions[-1] == "0.21.0"
    oldest = [td.text for td in table.all("tbody")[-1].all("td")]
    assert oldest[:7] == ["ok", "2.04", "1.95 – 2.12", "41.0", "39.5 – 43.5", "55.9", "0.74 ×"]


def test_states_say_why_and_a_cause_is_said_once(client: TestClient) -> None:
    bodies = page_of(client).one("table", "points").all("tbody")
    collapsed = next(b for b in bodies if "0.25.0" in b.text)
    assert "collapsed-54 % over 16 paired prompts" in collapsed.text
    broken = next(b for b in bodies if "0.27.0" in b.text)
    assert broken.text.count("KeyError") == 1
    assert broken.text.count("unknownnot measured") == 2


def test_what_was_not_measured_is_said_in_words() -> None:
    blank = build.point(
        accept_length=None, low=None, high=None, output_tok_s=None, tok_s_low=None, tok_s_high=None, baseline_tok_s=None, speedup=None, verdicts=[]
    )  # fmt: skip
    page = only(build.series(points=[blank]))
    cells = [td.text for td in page.one("table", "points").all("td")]
    assert cells[1:7] == ["not measured", "unknown", "not measured", "unknown", "not measured", "unknown"]
    assert "unknownnot judged yet" in cells[-1]
    assert not page.one("main").all("figure")[0].all("svg")
    assert "not measured in any revision" in page.text


def test_a_baseline_has_no_accept_length_rather_than_a_missing_one() -> None:
    point = build.point(accept_length=None, low=None, high=None, baseline_tok_s=None, speedup=None)
    page = only(build.series(method="none", draft=None, k=None, points=[point]))
    cells = [td.text for td in page.one("table", "points").all("td")]
    assert cells[1:3] == ["not applicable", "not applicable"]
    assert "A baseline proposes no drafts" in page.text


def test_a_series_without_runs_and_without_flips_says_so() -> None:
    page = only(build.series(points=[], flips=[]))
    assert "No revision of this series has been run yet." in page.text
    assert "None between neighbouring revisions." in page.text


def test_values_that_are_not_numbers_count_as_not_measured() -> None:
    odd = replace(build.point(), accept_length=float("nan"), output_tok_s=float("inf"))
    cells = [td.text for td in only(build.series(points=[odd])).one("table", "points").all("td")]
    assert (cells[1], cells[3]) == ("not measured", "not measured")


def test_flips_carry_the_fixed_words(client: TestClient) -> None:
    assert [w.text for w in page_of(client).all("span", "word")] == ["regression", "fixed"]


def test_plots_come_after_the_page_and_without_scripts_by_a_link() -> None:
    client = client_of(every_state())
    first = parse(client.get(f"/series/{KEY}").text)
    assert not first.all("figure")
    asked = first.one("div", "later")
    assert (asked.attrs["hx-get"], asked.attrs["hx-trigger"]) == (f"/series/{KEY}/plots", "load")
    (link,) = asked.all("a")
    drawn = parse(client.get(asked.attrs["hx-get"]).text).all("figure")
    assert len(drawn) == len(parse(client.get(link.attrs["href"]).text).all("figure")) == 2


def test_a_long_series_shows_its_newest_revisions_and_offers_all() -> None:
    reader = every_state()
    reader.all_series[KEY] = replace(reader.all_series[KEY], revisions=400)
    page = parse(client_of(reader).get(f"/series/{KEY}").text)
    assert "all 400" in page.text and f"/series/{KEY}?every=true" in [a.attrs["href"] for a in page.all("a")]
