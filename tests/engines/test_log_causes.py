"""Which line of a log names the cause, and which only look as if they did."""

import io

from matrix.core.outcome import Outcome
from matrix.engines.classify import Report, classify_log

TRACE = "Traceback (most recent call last):"
SERVING = "[2026-02-03 04:05:06] Decode batch, #running-req: 1, accept len: 2.00, accept rate: 0.5, cuda graph: True"


def read(*lines: str) -> Report:
    return classify_log(io.BytesIO("\n".join([*lines, ""]).encode()))


def test_a_notice_before_its_traceback_is_not_the_cause() -> None:
    notice = "[2026-02-03 04:05:06] Received sigquit from a child process. It usually means the child failed."
    report = read(
        notice,
        f"[2026-02-03 04:05:06] Scheduler hit an exception: {TRACE}",
        '  File "/a.py", line 3, in load_model',
        "OddError: no luck with 7",
    )
    assert report.reason.startswith("OddError") and report.outcome is Outcome.LOAD_CRASH


def test_a_failed_request_does_not_end_the_server() -> None:
    trace = [
        "ERROR:    Exception in ASGI application",
        TRACE,
        '  File "/a.py", line 3, in app',
        "AttributeError: 'X' object has no attribute 'path'",
    ]
    assert read(*trace, *trace, SERVING).outcome is Outcome.OK
    assert (
        read(*trace, TRACE, '  File "/b.py", line 9, in run_event_loop', "ValueError: fatal").outcome
        is Outcome.SERVE_CRASH
    )


def test_frames_tell_the_phase_of_a_crash() -> None:
    assert read(TRACE, '  File "/a.py", line 3, in load_weights', "ValueError: odd").outcome is Outcome.LOAD_CRASH
    assert read(TRACE, '  File "/a.py", line 3, in run_busy_loop', "ValueError: odd").outcome is Outcome.SERVE_CRASH
    assert read(SERVING, TRACE, '  File "/a.py", line 3, in helper', "ValueError: odd").outcome is Outcome.SERVE_CRASH


def test_a_traceback_cut_before_its_error_is_a_crash_of_its_phase() -> None:
    report = read(TRACE, '  File "/a.py", line 3, in __init__', "    self.worker = Worker(")
    assert report.outcome is Outcome.LOAD_CRASH and "cut off" in report.reason


def test_a_watchdog_that_was_only_slow_is_no_hang() -> None:
    watchdog = "[2026-02-03 04:05:06 TP1] Watchdog timeout (self.watchdog_timeout=120)"
    assert read(watchdog).outcome is Outcome.HANG
    assert read(watchdog, SERVING).outcome is Outcome.OK


def test_memory_outranks_the_collective_it_broke() -> None:
    report = read(
        "RuntimeError: NCCL error: unhandled system error",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    )
    assert report.outcome is Outcome.OOM


def test_speculation_that_is_silently_off_is_measured_nothing() -> None:
    launch = "[2026-02-03 04:05:06] server_args=ServerArgs(model_path='/m', speculative_algorithm='EAGLE3', tp=1)"
    plain = (
        "[2026-02-03 04:05:0{}] Decode batch, #running-req: 1, #token: 5, gen throughput (token/s): 9.{}, #queue-req: 0"
    )
    report = read(launch, *(plain.format(n, n) for n in range(1, 6)))
    assert (report.outcome, report.accept_length) == (Outcome.MEASURED_NOTHING, None)
    assert read(*(plain.format(n, n) for n in range(1, 6))).outcome is Outcome.OK


def test_equal_failures_of_two_cells_share_a_signature() -> None:
    one, two = (read(TRACE, f"ValueError: block {n} of /data/run-{n}/x at 0x7f{n} is odd") for n in (11, 99))
    assert one.signature == two.signature and "11" not in one.signature


def test_parts_that_die_while_the_server_stops_are_no_failure() -> None:
    stop = "(APIServer pid=4) INFO 02-03 04:05:06 [launcher.py:1] [shutdown] API server: stopping"
    dead = (
        "(APIServer pid=4) ERROR 02-03 04:05:07 [async_llm.py:1] a.b.EngineDeadError: EngineCore encountered an issue."
    )
    assert read(SERVING, stop, dead).outcome is Outcome.OK
    assert read(SERVING, dead, stop).outcome is Outcome.SERVE_CRASH


def test_a_traceback_that_ends_in_a_failed_bar_is_not_cut() -> None:
    bars = []
    for name, value in (("one", 2.6), ("two", 2.5)):
        frame = f'  File "/tests/test_eagle_{name}.py", line 7, in test_{name}'
        bars += [TRACE, frame, f"AssertionError: {value} not greater than 2.8"]
    assert read(*bars).outcome is Outcome.OK
    bars += [TRACE, '  File "/tests/test_eagle.py", line 9, in test_same', "AssertionError: False is not true : texts"]
    assert read(*bars).outcome is Outcome.OK
    crash = [TRACE, '  File "/a.py", line 3, in load_model', "ValueError: odd"]
    assert read(*bars, *crash).reason == read(*crash, *bars).reason == "ValueError: odd"
    cut = [TRACE, '  File "/a.py", line 3, in load_model', "", "FAIL: test_one (a.Test.test_one)"]
    assert read(*cut, *bars).outcome is Outcome.LOAD_CRASH


def test_a_worker_named_by_rank_is_quoted_and_not_the_engine_that_repeats_it() -> None:
    worker = "(VllmWorker rank=1 pid=77) ERROR 02-03 04:05:06 [multiproc_executor.py:5] "
    lines = (TRACE, '  File "/a.py", line 3, in execute_model', "IndexError: index 9 is odd")
    report = read(
        *(worker + line for line in lines),
        "(EngineCore_0 pid=7) ERROR 02-03 04:05:07 [core.py:6] RuntimeError: Worker failed with error 'index 9 is odd'",
    )
    assert (report.reason, report.outcome) == ("IndexError: index 9 is odd", Outcome.SERVE_CRASH)


def test_a_failed_bar_is_not_a_crash() -> None:
    assert (
        read("FAILED tests/x.py::test_speed - assert 0.71 > 0.75", "AssertionError: 0.71 not greater than 0.75").outcome
        is Outcome.OK
    )


def test_a_count_that_is_not_the_expected_one_is_a_failure() -> None:
    assert read("AssertionError: expected 3 tensors, got 2").outcome is Outcome.LOAD_CRASH
