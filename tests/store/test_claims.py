"""The race of `make bench ARGS=claims` in its short form, on both databases."""

from benchmarks.claims import WORKERS, race


def test_eight_workers_double_and_lose_nothing(url: str) -> None:
    jobs = 300
    found = race(url, jobs)
    assert found.whole(jobs), found
    # SQLite hands its lock to whom it likes, so some may come too late for so few jobs.
    assert len(found.each) == WORKERS and sum(map(bool, found.each)) > 1, "several must have claimed at the same time"
