"""How far a sweep is, in the words of a progress line."""

from dataclasses import dataclass

from matrix.store.views import JobView, SweepView


@dataclass(frozen=True, slots=True)
class Progress:
    """`elapsed_s` since the sweep began (until its end when it ended); `current`: jobs that a worker holds now."""

    running: bool
    elapsed_s: float
    eta_s: float | None
    current: list[JobView]
    waiting: int
    failed: int


def progress(sweep: SweepView, now: float) -> Progress:
    end = now if sweep.finished_at is None else sweep.finished_at
    return Progress(
        running=sweep.status == "running",
        elapsed_s=max(end - sweep.created_at, 0.0),
        eta_s=sweep.eta_s,
        current=[job for job in sweep.jobs if job.status == "claimed"],
        waiting=sum(job.status == "queued" for job in sweep.jobs),
        failed=sum(job.status == "done" and job.outcome not in (None, "ok") for job in sweep.jobs),
    )
