"""Databases to look at: the demo's, a hostile one, and a large one."""

import random
from dataclasses import replace

from matrix.core.state import State
from matrix.store.views import Heatmap, JobView, Overview, SeriesRow, SeriesView, Square, VerdictView
from tests.web import build
from tests.web.reader import DictReader

HOSTILE = '<script>window.pwned=1</script>"\'><img src=x onerror="window.pwned=1"> {{7*7}} $x$ \x1b[31mred\x1b[0m \u202egnp.exe \x00'
_STATES = [state.value for state in State]


def series_row(key: str, spec: str, squares: list[Square | None], **values: object) -> SeriesRow:
    base = SeriesRow(key, "tiny-llama", "tiny-eagle3", "eagle3", spec, 3, "", "demo", "cpu x 2", "venv", squares)
    return replace(base, **values)  # type: ignore[arg-type]


def every_state(running: bool = True) -> DictReader:
    """One engine with a row of all states, one of them running, and another engine with two releases."""
    revisions = [f"0.{minor}.0" for minor in range(21, 21 + len(_STATES))] + ["0.31.0rc1.dev20261103+g3f2a91c5d"]
    squares: list[Square | None] = [
        build.square(
            revision=r,
            state=s,
            text="2.11" if s in ("healthy", "suspicious-high") else "1.42" if s in ("degraded", "slower") else "",
        )
        for r, s in zip(revisions, _STATES, strict=False)
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
        status="running" if running else "done", finished_at=None if running else build.NOW - 5, jobs=_jobs(running)
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
    _add_runs(reader)
    reader.all_series = {row.series_key: long_series(row.series_key, revisions) for row in rows}
    return reader


def _jobs(running: bool) -> list[JobView]:
    done = [
        build.job(job_id=n, status="done", run_id="r-0001", outcome="ok", accept_length=2.1 + n / 50) for n in range(4)
    ]
    crash = build.job(
        job_id=5,
        status="done",
        spec="eagle3-map",
        run_id="r-0102",
        outcome="load-crash",
        reason="KeyError: 'draft_model.t2d' while loading the draft",
    )
    if not running:
        return [*done, crash]
    now = build.job(
        job_id=6,
        status="claimed",
        phase="probe",
        phase_detail="prompt 4 of 16",
        started_at=build.NOW - 41,
        label="vllm 0.32.0 / tiny-llama / draft-model",
    )
    return [*done, crash, now, build.job(job_id=7), build.job(job_id=8)]


def _add_runs(reader: DictReader) -> None:
    samples = [
        build.sample(prompt_id=f"{kind}-{n:02d}", kind=kind, diverged_at=12 if n == 2 else None, gap=0.013 if n == 2 else None, flags=["repeats"] if kind == "repetition" else [])
        for kind in ("code", "chat", "repetition") for n in range(1, 5)
    ]  # fmt: skip
    samples[3] = replace(
        samples[3], accept_length=None, steps=None, proposed=None, accepted=None, tok_s=None, tokens_per_step=None
    )
    crash = build.row(
        run_id="r-0102", revision="0.32.0", outcome="load-crash", tier="engine", accept_length=None, per_position=None, acceptance_rate=None,
        verify_steps=None, proposed=None, accepted=None, output_tok_s=None, speedup=None, samples=0, probe_s=None, spec="eagle3-map",
        series_key="5e1e000000000002", reason="The draft's weights do not fit: KeyError: 'draft_model.t2d'.",
    )  # fmt: skip
    broken = VerdictView("accept-length", "broken", "load-crash: KeyError: 'draft_model.t2d'")
    trace = "Traceback (most recent call last):\n  File \"model.py\", line 811, in load_weights\nKeyError: 'draft_model.t2d'"
    reader.runs = {
        "r-0001": build.run(samples=samples),
        "r-0102": build.run(row=crash, verdicts=[broken], samples=[], excerpt=trace, signature="KeyError: t2d", next_step="Use a release up to 0.27.1, or a head saved without the map.", baseline_run=None),
    }  # fmt: skip


def long_series(key: str, revisions: list[str]) -> SeriesView:
    """A series that meets every state, is broken once, and has its noise."""
    drop = VerdictView(
        "accept-length",
        "collapsed",
        "Accept length fell from 2.11 to 1.02.",
        {"before": 2.11, "after": 1.02, "change": -0.54, "low": -0.58, "high": -0.5, "pairs": 16},
    )
    broken = VerdictView("accept-length", "broken", "load-crash: KeyError: 'draft_model.t2d'")
    points = []
    for n, revision in enumerate(revisions):
        wave = 2.1 + 0.03 * ((n * 7) % 5 - 2)
        one = build.point(
            revision=revision,
            accept_length=wave,
            low=wave - 0.09,
            high=wave + 0.08,
            output_tok_s=41 + n % 3,
            tok_s_low=39.5,
            tok_s_high=43.5,
        )
        if n % 9 == 4:
            one = replace(one, accept_length=1.02, low=1.0, high=1.05, verdicts=[drop])
        if n % 9 == 6:
            one = build.point(
                revision=revision,
                run_id="r-0102",
                outcome="load-crash",
                accept_length=None,
                low=None,
                high=None,
                output_tok_s=None,
                tok_s_low=None,
                tok_s_high=None,
                speedup=None,
                verdicts=[broken],
            )
        points.append(one)
    return build.series(
        series_key=key,
        points=points,
        flips=[build.flip(), build.flip(flip_id=9, change="fixed", before="broken", after="healthy", standing=False)],
    )


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


def hostile() -> DictReader:
    """Every text that comes from outside is an attack on the page that shows it."""
    bad = HOSTILE
    reader = DictReader(logs={"sha256:aa": bad * 3})
    row = build.row(
        spec=bad,
        target=bad,
        draft=bad,
        engine=bad,
        revision=bad,
        method=bad,
        launch=bad,
        reason=bad,
        hardware=bad,
        outcome="serve-crash",
        tier="engine",
        artifact=bad,
    )
    sample = build.sample(text=bad, prompt_id=bad, kind=bad, flags=[bad])
    reader.runs = {
        "r-0001": build.run(
            row=row,
            samples=[sample],
            excerpt=bad,
            signature=bad,
            reproduce=bad,
            next_step=bad,
            lock=[bad],
            models={bad: bad},
            resolved={bad: bad},
            command=[bad],
            verdicts=[VerdictView(bad, bad, bad)],
            phases=[(bad, 1.0)],
        )
    }
    flip = build.flip(
        series=bad, reason=bad, target=bad, from_revision=bad, to_revision=bad, engine=bad, change=bad, metric=bad
    )
    square = build.square(state=bad, text=bad, reason=bad, run_id=bad, revision=bad)
    table = Heatmap(bad, [bad], [series_row("5e1e000000000001", bad, [square], target=bad, draft=bad)])
    sweep = build.sweep(
        jobs=[
            build.job(
                label=bad,
                engine=bad,
                revision=bad,
                status="claimed",
                phase=bad,
                phase_detail=bad,
                reason=bad,
                outcome=bad,
                run_id=bad,
            )
        ]
    )
    reader.seen = Overview([flip], [flip], [table], sweep, 1)
    reader.flips, reader.sweeps = [flip], {3: sweep}
    reader.all_series = {
        "5e1e000000000001": build.series(title=bad, target=bad, points=[build.point(revision=bad)], flips=[flip])
    }
    return reader


def large(rows: int = 50, revisions: int = 40) -> DictReader:
    """Fifty series by forty revisions, no two runs alike."""
    chance = random.Random(7)
    names = [f"0.{n // 4}.{n % 4}" for n in range(revisions)]

    def one(i: int, n: int) -> Square:
        value = round(1.9 + chance.random(), 3)
        return build.square(revision=names[n], run_id=f"r-{i:03d}-{n:03d}", text=f"{value:.2f}", accept_length=value, state=chance.choice(_STATES[:3]), reason=f"Run {i} {n} stands within its noise.")  # fmt: skip

    lines = [
        series_row(f"5e1e{i:012d}", f"spec-{i}", [one(i, n) for n in range(revisions)], target=f"model-{i // 10}")
        for i in range(rows)
    ]
    reader = every_state()
    flips = [build.flip(flip_id=100 + n) for n in range(20)]
    reader.seen = replace(reader.seen, heatmaps=[Heatmap("vllm", names, lines)], regressions=flips)
    reader.all_series = {line.series_key: long_series(line.series_key, names) for line in lines}
    return reader
