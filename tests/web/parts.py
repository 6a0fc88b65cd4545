"""Pieces of which the databases to look at are made."""

from dataclasses import replace

from matrix.store.views import JobView, SeriesRow, SeriesView, Square, VerdictView
from tests.web import build
from tests.web.reader import DictReader


def series_row(key: str, spec: str, squares: list[Square | None], **values: object) -> SeriesRow:
    base = SeriesRow(key, "tiny-llama", "tiny-eagle3", "eagle3", spec, 3, "", "demo", "cpu x 2", "venv", squares)
    return replace(base, **values)  # type: ignore[arg-type]


def jobs(running: bool) -> list[JobView]:
    """Of a sweep that is under way or done."""
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


def add_runs(reader: DictReader) -> None:
    """One that measured twelve prompts and one that crashed while loading."""
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
    trace = "Traceback (most recent call last):\n  File \"model.py\", line 811, in load_weights\nKeyError: 'draft_model.t2d'"
    reader.runs = {
        "r-0001": build.run(samples=samples),
        "r-0102": build.run(row=crash, verdicts=crashed(), samples=[], excerpt=trace, signature="KeyError: t2d", next_step="Use a release up to 0.27.1, or a head saved without the map.", baseline_run=None),
    }  # fmt: skip


def crashed() -> list[VerdictView]:
    """What the judge says of a run that crashed while loading."""
    cause = "load-crash: KeyError: 'draft_model.t2d'"
    rest = [VerdictView(metric, "unknown", f"not measured: {cause}") for metric in ("speed", "output")]
    return [VerdictView("accept-length", "broken", cause), *rest]


def long_series(key: str, revisions: list[str]) -> SeriesView:
    """A series that meets every state, is broken once, and has its noise."""
    drop = VerdictView(
        "accept-length",
        "collapsed",
        "-54 % over 16 paired prompts (95 % interval -58..-50 %), 2.11 -> 1.02, against 0.24.0",
        {"before": 2.11, "after": 1.02, "change": -0.54, "low": -0.58, "high": -0.5, "pairs": 16},
    )
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
            one = replace(one, accept_length=1.02, low=1.0, high=1.05, verdicts=[drop, *build.HEALTHY[1:]])
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
                verdicts=crashed(),
            )
        points.append(one)
    return build.series(
        series_key=key,
        points=points,
        flips=[build.flip(), build.flip(flip_id=9, change="fixed", before="broken", after="healthy", standing=False)],
    )
