"""The page that answers which version works, and its twin."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from matrix.app.answered import Answer, ConflictView, EvidenceView, Recommended
from tests.web.conftest import client_of
from tests.web.page import Node, parse
from tests.web.reader import DictReader

CLAIM = EvidenceView(
    "sglang", "0.5.5.post3", "0.5.5.post3", "reported", "collapsed", "org/m", "org/d", "eagle3", None, 4, "MMStar", 1.02,
    "unknown", None, None, "2025-11-20", "https://example.org/thread", "nothing is accepted",
)  # fmt: skip
BEST = Recommended(
    **asdict(replace(CLAIM, revision="0.5.4", versions="0.5.4", state="healthy", accept_length=2.195)),
    image="lmsysorg/sglang:v0.5.4",
    pins=["sglang==0.5.4"],
    launch="python -m sglang.launch_server --model-path org/m",
)
KNOWN = replace(CLAIM, evidence="known", state="intact", revision=None, versions=">=0.5.6", accept_length=None)


def answered(**changes: Any) -> Answer:
    made = Answer(
        model="m", draft=None, engine=None, method=None, gpu=None, k=None, answer="reported", sentence="0.5.4 works.",
        recommended=BEST, next_best=[], broken=[CLAIM], known=[KNOWN], conflicts=[], nearest=[], models=["org/m"],
    )  # fmt: skip
    return replace(made, **changes)


def client(**changes: Any) -> TestClient:
    return client_of(DictReader(answers={"m": answered(**changes)}))


def page(**changes: Any) -> Node:
    return parse(client(**changes).get("/compat?model=m").text)


def test_without_a_question_there_is_only_the_form() -> None:
    answer = client().get("/compat")
    shown = parse(answer.text)
    assert answer.status_code == 200 and len(shown.all("form")) == 1 and shown.all("section") == []
    assert {n.attrs["name"] for n in shown.all() if "name" in n.attrs and n.tag in ("input", "select", "textarea")} == {
        "model", "draft", "engine", "method", "gpu", "line",
    }  # fmt: skip


def test_the_answer_leads_with_its_sentence_and_the_line_to_copy() -> None:
    shown = page()
    assert shown.one("p", id_="sentence").text == "0.5.4 works."
    assert shown.one("code", id_="launch").text == BEST.launch
    facts = {d.one("dt").text: d.one("dd").text for d in shown.one("dl", "facts").all("div")}
    assert (facts["Revision"], facts["Accept length"], facts["Speed-up"]) == ("0.5.4", "2.195", "unknown")
    assert (facts["Hardware"], facts["Digest"], facts["Noise"]) == ("not stated", "unknown", "unknown")


def test_what_the_source_shows_intact_is_not_called_healthy() -> None:
    section = next(s for s in page().all("section") if s.attrs["aria-labelledby"] == "known-h")
    assert "intact, not tested" in section.text and "0.5.6 and newer" in section.text and "healthy" not in section.text


def test_neighbours_and_conflicts_are_labelled() -> None:
    near = replace(CLAIM, differs=["engine"])
    text = page(answer="not-tested", recommended=None, nearest=[near], conflicts=[ConflictView(CLAIM, BEST)]).text
    assert "other engine: an inference" in text and "the answer goes by the first" in text


def test_the_twin_has_the_keys_of_the_command() -> None:
    found = client()
    twin = next(a for a in parse(found.get("/compat?model=m").text).one("footer").all("a") if "JSON" in a.text)
    assert found.get(twin.attrs["href"]).json() == asdict(answered())


@pytest.mark.parametrize(
    ("query", "status"), [("model=gone", 404), ("line=ls", 422), ("model=m&line=vllm+serve+x", 422)]
)
def test_a_question_without_an_answer_says_what_to_do(query: str, status: int) -> None:
    found = client()
    shown = found.get(f"/compat?{query}")
    alert = next(s for s in parse(shown.text).all("section") if s.attrs.get("role") == "alert")
    assert shown.status_code == status and alert.one("p").text
    twin = found.get(f"/api/v1/compat?{query}")
    assert twin.status_code == status and set(twin.json()) == {"detail", "hint"} and all(twin.json().values())


def test_no_model_is_refused_by_the_twin() -> None:
    assert client().get("/api/v1/compat").status_code == 422


def test_hostile_names_are_escaped() -> None:
    bad = "<script>alert(1)</script>\u202e"
    claim = replace(CLAIM, target=bad, draft=bad, reason=bad, workload=bad, hardware=bad, link="javascript:alert(1)")
    found = client(
        sentence=bad, broken=[claim], next_best=[claim], nearest=[claim], recommended=replace(BEST, launch=bad)
    )
    text = found.get("/compat", params={"model": "m", "draft": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in text and "\u202e" not in text
    assert not any(a.attrs.get("href", "").startswith("javascript") for a in parse(text).all("a"))
