"""Databases to look at: one with every state, and the demo's."""

from dataclasses import replace

from matrix.core.state import State
from matrix.store.views import Heatmap, Overview, Square
from tests.web import build
from tests.web.parts import add_runs, jobs, long_series, series_row
from tests.web.reader import DictReader
from tests.web.searches import searches

STATES = [state.value for state in State]


def every_state(running: bool = True) -> DictReader:
    """One engine with a row of all states, one of them running, and another engine with two releases."""
    revisions = [f"0.{minor}.0" for minor in range(21, 21 + len(STATES))] + ["0.31.0rc1.dev20261103+g3f2a91c5d"]
    squares: list[Square | None] = [
        build.square(
            revision=r,
            state=s,
            text="2.11" if s in ("healthy", "suspicious-high") else "1.42" if s in ("degraded", "slower") else "",
        )
        for r, s in zip(revisions, STATES, strict=False)
    ]
    squares.append(
        build.square(
            revision=revisions[-1], state="unknown", text="unknown", run_id=None, phase="probe" if running else None
        )
    )
    broken = build.square(state="broken", text="load crash", run_id="r-0102", accept_length=None, outcome="load-crash")
    rows = [
        series_row("5e1e000000000001", "eagle3", squares),
        series_row("5e1e000000000002", "eagle3-map", [None] * 8 + [build.square(), broken], draft="tiny-eagle3-map"),
        series_row("5e1e000000000003", "baseline", [build.square(text="55.9 tok/s", accept_length=None)] * 10, draft=None, method="none", k=None),
        series_row("5e1e000000000004", "eagle3", [None] * 9 + [build.square(text="2.97")], target="Llama-3.1-8B-Instruct"),
    ]  # fmt: skip
    sweep = build.sweep(
        status="running" if running else "done", finished_at=None if running else build.NOW - 5, jobs=jobs(running)
    )
    other = Heatmap(
        "sglang",
        ["0.5.4", "0.5.5.post3"],
        [
            series_row(
                "5e1e000000000005", "eagle3", [build.square(text="2.19"), build.square(state="collapsed", text="1.02")]
            )
        ],
    )
    reader = DictReader(
        seen=Overview([build.flip(), build.flip(flip_id=2, change="regression", after="collapsed", series="sglang / Qwen2.5-VL-7B-Instruct / eagle3 / standard", engine="sglang", reason="Accept length fell by 54 % (95 % interval 52 to 55 %, 64 paired prompts).")], [build.flip(flip_id=3, change="fixed", before="collapsed", after="healthy", standing=False)], [Heatmap("vllm", revisions, rows), other], sweep, 31),
        sweeps={3: sweep},
        flips=[build.flip(), build.flip(flip_id=4, standing=False, change="regression", after="degraded")],
        logs={"sha256:aa": "".join(f"INFO 11-30 04:{n % 60:02d}:01 [core.py:77] step {n} of many, the server says a rather long line about itself\n" for n in range(300))},
    )  # fmt: skip
    reader.searches = searches()
    add_runs(reader)
    reader.all_series = {row.series_key: long_series(row.series_key, revisions) for row in rows}
    return reader


def demo(running: bool = False) -> DictReader:
    """What the demo shows: two releases, four spec configs, one mapped head that crashes in the later one."""
    reader = every_state(running)
    ok, revisions = build.square, ["0.27.1", "0.32.0"]
    crash = build.square(
        revision="0.32.0",
        state="broken",
        text="load crash",
        run_id="r-0102",
        reason="KeyError: 'draft_model.t2d'",
        outcome="load-crash",
    )
    rows = [
        series_row(
            "5e1e000000000003",
            "baseline",
            [ok(text="55.9 tok/s"), ok(text="57.2 tok/s")],
            draft=None,
            method="none",
            k=None,
        ),
        series_row("5e1e000000000001", "eagle3", [ok(text="2.11"), ok(text="2.10")]),
        series_row("5e1e000000000002", "eagle3-map", [ok(text="2.11"), crash], draft="tiny-eagle3-map"),
        series_row(
            "5e1e000000000004",
            "draft-model",
            [ok(text="1.92"), ok(text="1.93")],
            draft="tiny-draft",
            method="draft_model",
        ),
    ]
    reader.seen = replace(
        reader.seen, regressions=[build.flip()], fixed=[], heatmaps=[Heatmap("vllm", revisions, rows)], runs=8
    )
    reader.all_series = {row.series_key: long_series(row.series_key, revisions) for row in rows}
    return reader
