"""Databases that hurt: every text an attack, and fifty series by forty revisions."""

import random
from dataclasses import replace

from matrix.store.views import Heatmap, Overview, Square, VerdictView
from tests.web import build
from tests.web.parts import long_series, series_row
from tests.web.reader import DictReader
from tests.web.worlds import STATES, every_state

HOSTILE = '<script>window.pwned=1</script>"\'><img src=x onerror="window.pwned=1"> {{7*7}} $x$ \x1b[31mred\x1b[0m \u202egnp.exe \x00'


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
        return build.square(revision=names[n], run_id=f"r-{i:03d}-{n:03d}", text=f"{value:.2f}", accept_length=value, state=chance.choice(STATES[:3]), reason=f"Run {i} {n} stands within its noise.")  # fmt: skip

    lines = [
        series_row(f"5e1e{i:012d}", f"spec-{i}", [one(i, n) for n in range(revisions)], target=f"model-{i // 10}")
        for i in range(rows)
    ]
    reader = every_state()
    flips = [build.flip(flip_id=100 + n) for n in range(20)]
    reader.seen = replace(reader.seen, heatmaps=[Heatmap("vllm", names, lines)], regressions=flips)
    reader.all_series = {line.series_key: long_series(line.series_key, names) for line in lines}
    return reader
