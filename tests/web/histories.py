"""A stored history that fills every page, with one target whose every text is an attack."""

from dataclasses import replace
from pathlib import Path

from matrix.app.bisect.points import Point, in_a_row
from matrix.app.bisect.request import Regress, Request
from matrix.core.cell import Cell
from matrix.core.expectation import Bonus, Expectation
from matrix.core.outcome import Outcome
from matrix.core.report import Report
from matrix.core.result import Failure
from matrix.core.spec import Method
from matrix.core.state import State
from matrix.executors import owner
from matrix.store import Store
from tests.app.stored import around, cell, judged, model, samples, served
from tests.store import build
from tests.store.build import key
from tests.web.extremes import HOSTILE

RELEASES = (("0.5.4", 2.195), ("0.5.5.post3", 1.02), ("0.5.6", 2.2))
QWEN, DRAFT = "Qwen2.5-VL-7B", "qwen-eagle3"
LONG = "z" * 10_000_000
_HEAD = HOSTILE.replace("\x00", "")


def fill(store: Store, folder: Path, now: float) -> None:
    """Three releases: one target collapses in the second, the hostile one crashes in the third; a sweep is under way."""
    log = folder / "server.log"
    log.write_text(f"INFO starting\n{HOSTILE}\n{LONG}\nKeyError: 't2d'\n", encoding="utf-8")
    ref, size = store.logs.keep(log)
    for n, (version, length) in enumerate(RELEASES):
        at = now - 86_400 * (30 - 7 * n)
        for boot in (0, 1):
            served(store, cell(version, boot=boot), length * (1 + 0.002 * boot), at=at + boot)
        served(store, cell(version, draft=None, method=Method.NONE), 1.0, at=at + 10)
        found = [replace(s, text=HOSTILE, prompt_id=f"{s.prompt_id}{_HEAD}") for s in samples(around(2.1))]
        if n < 2:
            found[0] = replace(found[0], text=HOSTILE + LONG)
            served(store, _hostile(version), 2.1, at=at + 20, samples=tuple(found), resolved={HOSTILE: HOSTILE})
        else:
            failure = Failure(Outcome.LOAD_CRASH, HOSTILE + LONG, HOSTILE, HOSTILE, f"{HOSTILE}\n{LONG}")
            crash = build.run("crash-0.5.6", _hostile(version), outcome=Outcome.LOAD_CRASH, at=at + 20, failure=failure)
            store.runs.save(replace(crash, reason=HOSTILE + LONG), log_ref=ref, log_bytes=size)
    judged(store)
    _said(store)
    _bisected(store)
    sweep = store.sweeps.create({}, "", owner="me", tool_version="0.1.0")
    store.queue.enqueue(sweep, [(key(c), c) for c in (cell("0.5.7"), _hostile("0.5.7"))])
    job = store.queue.claim("me", sweep)
    assert job
    store.queue.set_phase(job.job_id, "me", "probe", HOSTILE)
    store.leases.take("box", [0], 1, "me", purpose=HOSTILE, ttl_s=600)


def _hostile(version: str) -> Cell:
    base = cell(version, target="x", draft="y")
    spec = replace(base.spec, name=f"spec {_HEAD}", draft=model(f"draft {_HEAD}", "d"))
    return replace(base, target=model(f"target {_HEAD}", "t"), spec=spec)


def _said(store: Store) -> None:
    """What was published and reported."""
    card = "https://example.org/card"
    published = {DRAFT: [Expectation(DRAFT, 2.2, Bonus.YES, "MMStar", 4, card)]}
    bad = f"draft {_HEAD}"
    published[bad] = [Expectation(bad, 2.0, Bonus.UNKNOWN, HOSTILE, None, f"javascript:{HOSTILE}")]
    store.published.replace(published)
    report = Report(QWEN, "sglang", State.COLLAPSED, card, "2025-11-20", DRAFT, "eagle3", "0.5.5.post3", value=1.02)
    store.reports.add([report, replace(report, draft=bad, text=HOSTILE, link="javascript:alert(1)")], 0.0)


def _bisected(store: Store) -> None:
    request = Request(
        config="matrix.toml", engine="sglang", good="0.5.4", bad="0.5.5.post3", regress=Regress.ACCEPT, target=QWEN,
        draft=DRAFT, method="eagle3",
    )  # fmt: skip
    line = in_a_row(Point("0.5.4", "0.5.4"), [Point(v, v) for v in ("0.5.5", "0.5.5.post3")])
    number = store.bisections.begin(
        engine="sglang", level="release", question="accept", request=request.to_json(), config="", history=line.to_json(),
        owner=owner.me(),
    )  # fmt: skip
    store.bisections.answer(number, "0.5.4", "good", phase="ends", why=HOSTILE)
    store.bisections.answer(number, "0.5.5.post3", "bad", phase="ends", why=f"accept length 1.02 {HOSTILE}")
