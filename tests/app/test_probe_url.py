"""What a running server is taken for, what is asked of it, and what follows when its counters say little."""

import base64
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from matrix.app.probe_url import Probed, probe_url
from matrix.app.url_cell import Asked, workload_of
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, InfraError, MatrixError
from matrix.core.outcome import Outcome
from matrix.core.spec import Method
from matrix.probes.client import Client, Rendered
from matrix.probes.workloads import load_workload
from matrix.store import open_store
from tests.fakes.engine import FakeEngine, Script
from tests.fakes.sglang import FakeSglang

Engine = FakeEngine | FakeSglang
RELEASES = ["0.4.6.post5", "0.5.5", "0.5.9", "0.5.12", "0.5.23"]


class Silent:
    def phase(self, cell: Cell, phase: str, detail: str = "") -> None: ...

    def done(self, cell: Cell, outcome: Outcome, reason: str) -> None: ...


def sglang(release: str = "0.5.15.post1", algorithm: str | None = "EAGLE3", **script: object) -> FakeSglang:
    sizes = {"speculative_num_steps": 3, "speculative_eagle_topk": 1, "speculative_num_draft_tokens": 4}
    draft = {"speculative_draft_model_path": "/models/head"}
    return FakeSglang(release, Script(**script), speculative_algorithm=algorithm, **sizes, **draft)  # type: ignore[arg-type]


def vllm(spec: bool = True, **script: object) -> FakeEngine:
    return FakeEngine(Script(**{"version": "0.32.0"} | script), spec=spec)  # type: ignore[arg-type]


def probed(server: Engine, **asked: object) -> Probed:
    options: dict[str, object] = {"limit": 6, "max_tokens": 200} | asked
    return probe_url(Asked(server.url, **options), Silent())  # type: ignore[arg-type]


@pytest.fixture
def templated(tmp_path: Path) -> Path:
    (tmp_path / "chat_template.jinja").write_text("<user>{{ messages[0].content }}")
    return tmp_path


@pytest.mark.parametrize("release", RELEASES)
def test_sglang_releases_are_told_apart_and_counted_alike(release: str, templated: Path) -> None:
    with sglang(release) as engine, vllm() as other:
        result, reference = probed(engine, tokenizer=templated), probed(other, tokenizer=templated)
    row = result.row
    assert (row.engine, row.revision, row.method, row.draft, row.k) == ("sglang", release, "eagle3", "head", 3)
    assert row.outcome == "ok" and row.accept_length == pytest.approx(reference.row.accept_length, rel=0.01)
    assert result.low is not None and result.high is not None and row.accept_length is not None
    assert 1 < result.low < row.accept_length < result.high < 4


def test_the_interval_is_the_one_of_the_stored_series(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/m.db"
    with vllm() as engine:
        result = probe_url(Asked(engine.url, limit=6, max_tokens=40), Silent(), db)
    store = open_store(db)
    (point,) = store.read.series(result.row.series_key).points
    store.close()
    assert (point.low, point.high) == pytest.approx((result.low, result.high))


def test_the_server_templates_what_we_cannot(templated: Path) -> None:
    with vllm() as engine:
        theirs = probed(engine)
        kinds = {"chat" if "messages" in request else "text" for request in engine.requests}
        ours = probed(engine, tokenizer=templated)
    assert kinds == {"chat", "text"}
    assert (theirs.row.workload, theirs.row.kind) == ("standard+server-template", "server-template")
    assert (ours.row.workload, ours.row.kind) == ("standard", "text")
    assert theirs.row.series_key != ours.row.series_key
    assert workload_of(Asked("u")).content != workload_of(Asked("u", tokenizer=templated)).content
    assert "".join(json.dumps(r) for r in engine.requests[-6:]).count("messages") == 0


def test_the_chat_endpoint_of_sglang_counts_from_0_5_13_on() -> None:
    with sglang("0.5.23") as new, sglang("0.5.12") as old:
        good, blind = probed(new), probed(old)
    assert good.row.outcome == "ok" and (good.row.accept_length or 0) > 1
    assert (blind.row.outcome, blind.row.accept_length) == ("measured-nothing", None)
    assert "chat endpoint" in blind.row.reason and "--tokenizer" in blind.next_step


def test_foreign_traffic_spoils_scraped_counters_only() -> None:
    with vllm(mode="foreign", per_request=False) as scraped, vllm(mode="foreign") as own:
        spoiled, good = probed(scraped), probed(own)
    assert spoiled.row.accept_length is None and spoiled.low is None
    assert "foreign-traffic" in spoiled.row.reason
    assert good.row.outcome == "ok" and (good.row.accept_length or 0) > 1
    assert any(line.startswith("foreign-traffic: 6 of 6") for line in good.odd)


@pytest.mark.parametrize("engine", [vllm(spec=False), sglang(algorithm=None)], ids=["vllm", "sglang"])
def test_a_server_without_speculation_is_told_so(engine: Engine) -> None:
    with engine:
        result = probed(engine)
        assert engine.requests == []
    assert (result.row.outcome, result.row.accept_length) == ("measured-nothing", None)
    assert "no speculation configured" in result.row.reason and "--speculative-" in result.next_step


def test_a_server_without_speculation_is_stored_and_not_judged_broken(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/m.db"
    with vllm(spec=False) as engine:
        result = probe_url(Asked(engine.url), Silent(), db)
    store = open_store(db)
    said = store.compare.verdicts(result.row.series_key, result.row.run_id)
    store.close()
    assert {v.metric: v.state for v in said} == {
        "accept-length": "not-applicable",
        "speed": "unknown",
        "output": "unknown",
    }


def test_the_v0_engine_is_known_by_its_means_and_gives_no_number() -> None:
    with FakeEngine(Script(version="0.9.2", v0_interval_s=0), v0=True) as engine:
        client = Client(engine.url, "tiny")
        for _ in range(2):  # the first request's statistics are shown while the second one steps
            client.complete(Rendered("Hello"), 20)
        result = probed(engine)
    assert result.row.outcome == "measured-nothing" and result.row.accept_length is None
    assert "V0 engine" in (result.row.reason or "") and "VLLM_USE_V1" in result.next_step


def test_no_spec_fields_of_sglang() -> None:
    with sglang(mode="no-counters") as engine:
        result = probed(engine)
    assert result.row.outcome == "measured-nothing" and "spec_verify_ct" in result.row.reason


def test_counters_of_the_answers_do_without_metrics() -> None:
    with vllm(mode="no-metrics") as engine:
        result = probed(engine)
    assert result.row.outcome == "ok" and (result.row.accept_length or 0) > 1


def test_steps_without_a_draft_are_told_and_counted_when_asked() -> None:
    with vllm(draftless=0.5) as engine:
        hidden, named = probed(engine), probed(engine, method=Method.NGRAM)
    assert any("carried no draft" in line for line in hidden.odd) and named.row.method == "ngram"
    assert (named.row.accept_length or 9) < (hidden.row.accept_length or 0)


def test_several_in_flight_are_one_window() -> None:
    with vllm(per_request=False) as engine:
        result = probed(engine, concurrency=3)
    assert result.row.concurrency == 3 and (result.row.accept_length or 0) > 1 and result.low is None


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"model": "other"}, "does not serve 'other'"),
        ({"engine": "sglang"}, "is vllm, not sglang"),
        ({"tokenizer": Path("/no/such/folder")}, "--tokenizer"),
    ],
)
def test_what_does_not_fit_is_said(asked: dict[str, object], said: str) -> None:
    with vllm() as engine, pytest.raises(ConfigError, match=said):
        probed(engine, **asked)


def test_an_unknown_server_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    with vllm() as engine:
        pages = {"/v1/models": b'{"data": [{"id": "m", "owned_by": "library"}]}', "/version": b'{"version": "9"}'}
        handler = engine.http.RequestHandlerClass
        monkeypatch.setattr(handler, "do_GET", lambda self: self.send(pages.get(self.path, b""), 200))
        with pytest.raises(ConfigError, match="owned by library; /version says 9") as caught:
            probed(engine)
    assert "--engine" in caught.value.hint


def test_a_closing_v1_is_taken_off() -> None:
    with vllm() as engine:
        assert probe_url(Asked(f"{engine.url}/v1/", limit=2, max_tokens=20), Silent()).row.outcome == "ok"


def test_a_refused_request_is_no_crash() -> None:
    with vllm(mode="status", status=400, after=0) as engine:
        result = probed(engine)
    assert result.row.outcome == "config-error" and "--max-tokens" in result.next_step and not result.finished


@pytest.mark.parametrize("after", [0, 3])
def test_a_request_that_is_put_off_says_nothing_of_the_engine(after: int) -> None:
    with vllm(mode="status", status=429, after=after) as engine:
        result = probed(engine)
    assert (result.row.outcome, result.row.tier, result.row.accept_length) == ("infra", "infra", None)
    assert "limit" in result.next_step and not result.finished


def test_an_answer_that_is_none_does_not_finish_the_probe() -> None:
    with vllm(mode="garbage", after=0) as engine:
        result = probed(engine)
    assert (result.row.outcome, result.finished) == ("measured-nothing", False)


@pytest.mark.parametrize(
    ("status", "error", "hint"),
    [(429, InfraError, "wait"), (503, InfraError, "wait"), (307, ConfigError, "final address")],
)
def test_an_address_that_serves_no_list_of_models_is_described(
    status: int, error: type[MatrixError], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vllm() as engine:
        monkeypatch.setattr(engine.http.RequestHandlerClass, "do_GET", lambda self: self.send(b"later", status))
        with pytest.raises(error, match=str(status)) as caught:
            probed(engine)
    assert hint in caught.value.hint


def test_counters_that_end_in_the_middle_are_told_apart_from_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with vllm(per_request=False) as engine:
        whole = engine.http.RequestHandlerClass.do_GET

        def cut(self: BaseHTTPRequestHandler) -> None:
            gone = self.path == "/metrics" and len(engine.requests) > 3
            self.send(b"", 404) if gone else whole(self)  # type: ignore[attr-defined]

        monkeypatch.setattr(engine.http.RequestHandlerClass, "do_GET", cut)
        result = probed(engine)
    assert result.row.accept_length is None and "prompts alone" in result.row.reason
    assert "/metrics" in result.next_step


def test_images_go_to_the_chat_endpoint_as_another_kind() -> None:
    with vllm(image_acceptance=[0.0, 0.0, 0.0]) as engine:
        result = probed(engine, workload="standard-images", limit=2)
    assert (result.row.kind, result.row.workload, result.row.accept_length) == ("image", "standard-images", 1.0)
    assert result.row.flags == ["never-accepted"] and "accepted a draft" in result.row.reason
    assert any(line.startswith("exactly-one: 2 of 2 samples (no draft was accepted)") for line in result.odd)
    assert all("messages" in body for body in engine.requests)


def test_images_of_an_older_sglang_need_the_template() -> None:
    with sglang("0.5.9") as engine:
        result = probed(engine, workload="standard-images", limit=2)
    assert result.row.outcome == "measured-nothing" and "--tokenizer" in result.next_step


def test_texts_and_images_of_one_file_are_refused(tmp_path: Path) -> None:
    image = next(iter(load_workload("standard-images").prompts)).image.partition(",")[2]
    (tmp_path / "a.png").write_bytes(base64.b64decode(image))
    file = tmp_path / "mixed.jsonl"
    file.write_text('{"text": "a"}\n{"text": "b", "image": "a.png"}\n')
    with pytest.raises(ConfigError, match="with and without images"):
        workload_of(Asked("http://127.0.0.1:1", prompts=file))
    assert workload_of(Asked("http://127.0.0.1:1", prompts=file, limit=1)).kind == "text"
