"""Bisections as pages and as JSON."""

from dataclasses import asdict, replace

import pytest
from fastapi.testclient import TestClient

from tests.web import build
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader
from tests.web.searches import bisection, done, item, searches
from tests.web.test_api import plain


def page(*found: object, path: str = "/bisections/1") -> Node:
    reader = DictReader(searches={b.item.bisection: b for b in found})  # type: ignore[attr-defined]
    return parse(client_of(reader).get(path).text)


def rows(shown: Node, heading: str) -> list[list[str]]:
    section = next(s for s in shown.all("section") if s.attrs.get("aria-labelledby") == heading)
    return [[c.text for c in tr.children if isinstance(c, Node)] for tr in section.all("tr")[1:]]


def test_the_list_links_each_with_its_answer(client: TestClient) -> None:
    shown = parse(client.get("/bisections").text)
    lines = [[c.text for c in tr.children if isinstance(c, Node)] for tr in shown.one("table").all("tr")[1:]]
    assert [line[0] for line in lines] == ["3 within 2", "2", "1"]
    assert [line[4] for line in lines] == ["not known yet", "0.31.0 99.3 % sure", "not known yet"]
    assert lines[2][1:4] == ["vllm accept, releases", "0.27.1, 0.32.0", "running"]
    assert "/bisections" in [a.attrs["href"] for a in shown.one("nav").all("a")]
    assert "None was started yet" in client_of(DictReader()).get("/bisections").text


@pytest.mark.parametrize(("level", "shown"), [("nightly", "nightlies"), ("package", "packages")])
def test_each_level_has_its_plural(level: str, shown: str) -> None:
    one = replace(bisection(), item=replace(item(), level=level))
    lines = parse(client_of(DictReader(searches={1: one})).get("/bisections").text).one("table").all("td")
    assert lines[0].text == f"vllm accept, {shown}"
    assert shown in page(one).one("dl", "facts").text


def test_a_running_one_shows_suspects_answers_and_what_runs_now() -> None:
    shown = page(bisection())
    assert rows(shown, "suspects-h") == [["0.31.0", "62.0 %", ""], ["0.30.0", "31.0 %", ""]]
    answers = rows(shown, "answers-h")
    assert [a[1:5] for a in answers] == [
        ["0.27.1", "good", "2.11", "known before"],
        ["0.32.0", "bad", "1.02", "made for it"],
        ["0.30.0", "skip", "not measured", "made for it"],
        ["0.29.0", "good", "not measured", "none"],
    ]
    points = rows(shown, "points-h")
    assert points[0][:3] == ["0.27.1 good end", "good", "not a suspect"]
    assert points[3][:3] == ["0.31.0", "asked next", "62.0 %"]
    strip = shown.one("section", "strip").text
    assert "about 3 runs left" in strip and "probe vllm 0.31.0 / tiny-llama / eagle3 prompt 4 of 16" in strip
    assert "latest: 0.32.0" in shown.one("dl", "facts").text
    figure = next(n for n in shown.all("svg") if n.attrs.get("aria-labelledby", "").startswith("values"))
    assert "good: 2.11; bad: 1.02" in figure.one("desc").text


def test_it_polls_until_it_ends() -> None:
    reader = DictReader(searches={1: bisection()})
    client = client_of(reader, poll_s=0.5)
    holder = parse(client.get("/bisections/1").text).one(id_="bisection")
    assert (holder.attrs["hx-get"], holder.attrs["hx-trigger"]) == ("/fragments/bisections/1", "every 0.5s")
    reader.searches[1] = replace(done(), item=item(status="done", finished_at=build.NOW))
    after = parse(client.get("/fragments/bisections/1").text).one(id_="bisection")
    assert not [name for name in after.attrs if name.startswith("hx-")]


def test_an_interrupted_one_says_how_to_go_on() -> None:
    found = bisection(item=item(status="interrupted"), now=None)
    shown = page(found)
    assert shown.one("code", id_="resume").text == found.item.resume
    assert not [name for name in shown.one(id_="bisection").attrs if name.startswith("hx-")]


def test_the_report_is_there_to_copy_with_doubts_above_it() -> None:
    shown = page(*searches().values(), path="/bisections/2")
    assert shown.one("code", id_="report").raw == done().markdown
    assert "report" in [b.attrs["data-copy"] for b in shown.all("button")]
    text = shown.one("ul", "evidence").text
    assert "Doubt: the lock differs" in text and "Not tested: 0.30.0 could not be tested" in text
    assert "/bisections/3" in [a.attrs["href"] for a in shown.all("a")]


def test_commits_are_shortened_and_lead_back_to_the_release_level() -> None:
    shown = page(*searches().values(), path="/bisections/3")
    assert "b" * 12 in shown.text and "b" * 13 not in shown.one("main").text.replace("matrix", "")
    assert "/bisections/2" in [a.attrs["href"] for a in shown.all("a")]


def test_before_the_ends_are_known_nothing_is_suspected() -> None:
    found = bisection(suspects=[], likely=[], answers=[], points=[], phase="ends")
    shown = page(found)
    assert "None before both ends are known to differ" in shown.text
    assert "No run has given a number" in shown.text and "None yet: the ends are run first" in shown.text


def test_the_log_is_a_file_that_git_can_replay(client: TestClient) -> None:
    answer = client.get("/bisections/1/log")
    assert answer.text == "git bisect start '0.32.0' '0.27.1'\n"
    assert answer.headers["content-disposition"] == 'attachment; filename="bisection-1.log"'
    assert answer.headers["content-type"].startswith("text/plain")


def test_twins_equal_what_the_store_gave(client: TestClient) -> None:
    found = searches()
    assert client.get("/api/v1/bisections").json() == [plain(asdict(found[n].item)) for n in (3, 2, 1)]
    assert client.get("/api/v1/bisections/2").json() == plain(asdict(found[2]))


@pytest.mark.parametrize("path", ["/bisections/9", "/bisections/9/log", "/bisections/x", "/api/v1/bisections/9"])
def test_what_is_not_there_is_a_404(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_regressions_and_runs_name_the_bisection_that_covers_them(client: TestClient) -> None:
    shown = [p.text for p in parse(client.get("/regressions").text).all("p", "bisected")]
    assert "Bisection 2 (releases, done): 0.31.0 99.3 % sure" in shown
    run = parse(client.get("/runs/r-0102").text).one("section", "banner")
    assert "/bisections/1" in [a.attrs["href"] for a in run.all("a")]


def test_names_from_outside_are_escaped() -> None:
    bad = "<script>alert(1)</script>"
    hostile = bisection(item=item(target=bad, command=bad, engine=bad), notes=[bad], headline=bad, markdown=bad, report={"doubts": [bad], "not_tested": [bad]})  # fmt: skip
    text = client_of(DictReader(searches={1: hostile})).get("/bisections/1").text
    assert "<script>alert" not in text
