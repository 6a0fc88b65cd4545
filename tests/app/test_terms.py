"""What a night may take, and when a cell that the machine failed is tried again."""

from matrix.app.terms import FREE, STOPPING, Terms, terms_from


def test_without_limits_every_cell_may_start() -> None:
    assert FREE.refusal(1e9, 64, 1e12) == ""


def test_a_cell_that_would_end_after_the_night_waits() -> None:
    terms = Terms(until=1000.0, clock=lambda: 700.0)
    assert terms.refusal(300, 0, 0) == ""
    assert "5 minutes remain" in terms.refusal(301, 0, 0)


def test_gpu_hours_are_never_exceeded_by_what_is_expected() -> None:
    terms = Terms(gpu_seconds=3600.0, clock=lambda: 0.0)
    assert terms.refusal(100, 4, 3200) == ""
    assert "1.0 GPU hours" in terms.refusal(101, 4, 3200)
    assert terms.refusal(1e6, 0, 3600) == ""  # the CPU's time is not counted


def test_who_is_told_to_stop_starts_nothing() -> None:
    assert Terms(stopping=lambda: True).refusal(0, 0, 0) == STOPPING


def test_pauses_grow_and_tries_end() -> None:
    terms = Terms(tries=3, clock=lambda: 0.0)
    assert [terms.again_at(n) for n in (1, 2, 3)] == [30.0, 120.0, None]
    assert FREE.again_at(1) is None


def test_a_helper_knows_the_terms_from_the_sweeps_row() -> None:
    terms = Terms(tries=3, until=5.0, gpu_seconds=7.0)
    kept = terms_from(terms.kept, lambda: False)
    assert (kept.tries, kept.until, kept.gpu_seconds, kept.shared) == (3, 5.0, 7.0, True)
    assert terms_from({}, lambda: False).tries == 1
