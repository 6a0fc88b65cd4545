from dataclasses import replace

from fastapi.testclient import TestClient

from matrix.store.views import UptimeView, VerdictView
from tests.web import build, worlds
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader


def page_of(client: TestClient, run_id: str = "r-0001") -> Node:
    return parse(client.get(f"/runs/{run_id}").text)


def only(**values: object) -> Node:
    return page_of(client_of(DictReader(runs={"r-0001": build.run(**values)})))


def facts(page: Node) -> dict[str, str]:
    return {div.one("dt").text: div.one("dd").text for dl in page.all("dl") for div in dl.all("div")}


def test_a_crash_says_what_happened_what_to_do_and_how_to_bisect(client: TestClient) -> None:
    banner = page_of(client, "r-0102").one("section", "banner")
    assert banner.one("p", "outcome").text == "load-crash"
    assert "The draft's weights do not fit" in banner.text
    assert "Next: Use a release up to 0.27.1" in banner.text
    assert banner.one("code", id_="bisect").text.startswith("matrix bisect run --engine vllm --bad 0.32.0 ")
    assert banner.one("button").attrs["data-copy"] == "bisect"


def test_a_good_run_offers_no_bisection(client: TestClient) -> None:
    assert not [c for c in page_of(client).all("code") if c.attrs.get("id") == "bisect"]


def test_a_crash_shows_every_missing_figure_in_words(client: TestClient) -> None:
    shown = facts(page_of(client, "r-0102"))
    names = ("Accept length", "Acceptance rate", "Verify steps", "Drafts proposed", "Drafts accepted", "Output")
    assert {shown[name] for name in names} == {"not measured"}
    assert shown["Speed-up"] == "unknown"


def test_figures_have_units_and_pinned_content_is_whole(client: TestClient) -> None:
    shown = facts(page_of(client))
    assert shown["Accept length"] == "2.11" and shown["Acceptance rate"] == "36.9 %"
    assert shown["Output"] == "41.3 tok/s" and shown["Speed-up"] == "0.74 ×" and shown["Verify steps"] == "1 213"
    assert shown["Content key"] == "c" * 64
    assert shown["Weights of tiny-llama"] == "ab" * 32 and shown["Weights of tiny-eagle3"] == "unknown content"
    assert shown["Top-k"] == "not asked" and shown["Launch options"] == "defaults"


def test_prompts_are_grouped_and_pooled_by_counters(client: TestClient) -> None:
    heads = [tr.text for tr in page_of(client).all("tr", "group")]
    assert heads == [
        "code 4 prompts, accept length unknown",
        "chat 4 prompts, accept length 2.21",
        "repetition 4 prompts, accept length 2.21",
    ]


def test_a_prompts_row_tells_divergence_flags_and_gaps(client: TestClient) -> None:
    rows = {
        tr.all("th")[0].text: [td.text for td in tr.all("td")]
        for tr in page_of(client).all("tr")
        if tr.all("td") and tr.all("th")
    }
    assert rows["code-02"][-1] == "differs from token 12, gap 0.01 nat"
    assert rows["code-01"][-2:] == ["none", "same"]
    assert rows["repetition-01"][-2] == "repeats"
    assert rows["code-04"][:4] == ["not measured"] * 4


def test_without_a_baseline_text_is_not_called_the_same() -> None:
    table = only(baseline_run=None).text
    assert "not compared" in table and "same" not in table.split("Text against the baseline")[1].split("Outputs")[0]


def test_lower_bound_of_a_gap_is_called_one() -> None:
    sample = build.sample(diverged_at=3, gap=0.71, gap_at_least=True)
    assert "differs from token 3, gap at least 0.71 nat" in only(samples=[sample]).text


def test_an_ngram_group_is_not_pooled_from_drafted_steps_alone() -> None:
    page = only(row=build.row(method="ngram"))
    assert [tr.text for tr in page.all("tr", "group")] == ["code 1 prompt"]


def test_a_baseline_has_nothing_to_accept() -> None:
    row = build.row(
        method="none",
        draft=None,
        k=None,
        accept_length=None,
        per_position=None,
        acceptance_rate=None,
        verify_steps=None,
    )
    page = only(row=row)
    assert facts(page)["Accept length"] == "not applicable" and facts(page)["k"] == "not applicable"
    assert "A baseline proposes no drafts." in page.text


def test_log_is_plain_text_and_the_page_shows_its_end(client: TestClient) -> None:
    whole = client.get("/runs/r-0001/log")
    assert whole.headers["content-type"] == "text/plain; charset=utf-8"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert whole.text.startswith("INFO 11-30 04:00:01 [core.py:77] step 0 ")
    tail = page_of(client).one("pre", "tail").raw
    assert "step 299 " in tail and "step 100 " not in tail


def test_a_log_that_is_gone_or_never_was() -> None:
    assert "no longer in the log folder" in only(log_ref="sha256:gone").text
    assert "no server was started" in only(log_ref=None).text
    missing = client_of(DictReader(runs={"r-0001": build.run(log_ref=None)})).get("/runs/r-0001/log")
    assert missing.status_code == 404


def test_timings_are_drawn_to_scale(client: TestClient) -> None:
    table = page_of(client).one("table", "phases")
    widths = [float(rect.attrs["width"]) for rect in table.all("rect")]
    assert widths[1] == 100 and abs(widths[0] - 100 * 19.4 / 24.8) < 0.01
    assert [td.text for td in table.all("td", "n")] == ["19 s", "25 s", "1.1 s", "0.90 s", "14 s", "0.60 s"]


def test_commands_to_measure_again_and_to_start_the_server(client: TestClient) -> None:
    page = page_of(client)
    again = "matrix sweep --force engine=vllm revision=0.27.1 target=tiny-llama spec=eagle3 workload=demo"
    assert page.one("code", id_="reproduce").text == again
    assert page.one("code", id_="server").text == "python -m vllm.entrypoints.openai.api_server --port 8123"
    assert "No server was started." in only(reproduce="").text


def test_the_cause_is_said_once_in_the_banner(client: TestClient) -> None:
    run = worlds.every_state().runs["r-0102"]
    cause = "the weights do not fit: KeyError 't2d'"
    said = [
        VerdictView("accept-length", "broken", f"load-crash: {cause}"),
        VerdictView("speed", "unknown", f"not measured: load-crash: {cause}"),
    ]
    banner = only(row=replace(run.row, reason=cause), verdicts=said).one("section", "banner")
    assert banner.text.count("t2d") == 1


def test_a_series_that_is_gone_does_not_take_the_run_with_it() -> None:
    reader = worlds.every_state()
    reader.all_series = {}
    assert "--bad 0.32.0" in page_of(client_of(reader), "r-0102").one("code", id_="bisect").text


def test_unknown_run_is_a_404_page_that_says_what_to_do(client: TestClient) -> None:
    answer = client.get("/runs/nope")
    assert answer.status_code == 404
    assert "no run nope" in answer.text and "see the overview" in answer.text


def test_what_is_odd_is_named_with_its_meaning() -> None:
    page = only(row=build.row(flags=["never-accepted", "of-a-later-version"]))
    odd = page.one("section", "banner").one("ul", "oddities")
    assert [li.text for li in odd.all("li")] == [
        "never-accepted no draft was ever accepted",
        "of-a-later-version of-a-later-version",
    ]
    for none in ([], None):
        assert only(row=build.row(flags=none)).all("ul", "oddities") == []


def test_the_accept_length_over_time_is_shown_where_it_was_followed() -> None:
    seen = UptimeView(10, 42, 3.07, 2.8, -0.088, -0.1, -0.07, True)
    shown = facts(only(uptime=seen))
    assert (shown["First tenth"], shown["Last tenth"], shown["Change"]) == ("3.07", "2.80", "−8.8 %")
    assert (shown["95 % interval"], shown["Drift"], shown["Rounds"]) == ("−10 % to −7.0 %", "yes", "42")
    unknown = facts(only(uptime=UptimeView(10, 1, None, None, None, None, None, False)))
    assert (unknown["First tenth"], unknown["Change"], unknown["Drift"]) == ("not measured", "not measured", "unknown")
    assert "Drift" not in facts(only(uptime=None))
