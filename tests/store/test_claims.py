"""The race of `make bench ARGS=claims` in its short form, on both databases."""

from benchmarks.claims import WORKERS, race


def test_eight_workers_double_and_lose_nothing(url: str) -> None:
    jobs = 300
    found = race(url, jobs)
    assert found.whole(jobs), found
    assert len(found.each) == WORKERS and min(found.each) > 0, "all must have claimed at the same time"
