"""Accept lengths in clients' tables, in requests' counters and in pasted scrapes of metrics."""

import io

import pytest

from matrix.core.outcome import Outcome
from matrix.engines.classify import Report, classify_log


def read(*lines: str) -> Report:
    return classify_log(io.BytesIO("\n".join([*lines, ""]).encode()))


def values(report: Report) -> list[float | None]:
    return [o.accept_length for o in report.observations]


def scrape(drafts: float, accepted: float, engine: int = 0) -> list[str]:
    labels = f'{{engine="{engine}",model_name="m"}}'
    return [
        "# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.",
        f"vllm:spec_decode_num_drafts_total{labels} {drafts}",
        f"vllm:spec_decode_num_draft_tokens_total{labels} {3 * drafts}",
        f"vllm:spec_decode_num_accepted_tokens_total{labels} {accepted}",
    ]


@pytest.mark.parametrize(
    "row", ["| Acc Length | 2.37 |", "│ Mean accept length │ 2.37 │", "|  acceptance_length  |  2.37  |"]
)
def test_a_tables_row_is_read_by_its_name(row: str) -> None:
    assert values(read(row)) == [2.37]


@pytest.mark.parametrize(
    "row", ["| Acc Length | 2.3", "| Acc Length | n/a |", "| Acc Rate | 2.37 |", "| max acc length | 2.37 |"]
)
def test_a_cut_or_another_row_yields_nothing(row: str) -> None:
    assert values(read(row)) == []


def test_a_requests_counters_need_no_printed_length() -> None:
    assert values(read('{"meta_info":{"spec_verify_ct":20,"spec_accept_token_num":30,"completion_tokens":51}}')) == [
        2.5
    ]
    assert values(read('{"meta_info":{"spec_verify_ct":0,"spec_accept_token_num":0}}')) == []


def test_tokens_over_verify_steps_leave_out_the_prefills_token() -> None:
    report = read('{"meta_info":{"spec_verify_ct":20,"completion_tokens":51}}')
    assert values(report) == [2.5] and report.observations[0].flags == ("from-tokens",)
    assert values(read('{"meta_info":{"spec_verify_ct":20,"completion_tokens":20}}')) == []
    assert (
        values(read('{"spec_verify_ct":20,"completion_tokens":51},{"spec_verify_ct":9,"completion_tokens":51}')) == []
    )
    assert values(read('{"meta_info":{"spec_verify_ct":20,"completion_tokens":51')) == []


def sglang_scrape(calls: float, tokens: float, requests: float) -> list[str]:
    rows = (("generation_tokens", tokens), ("spec_verify_calls", calls), ("num_requests", requests))
    return [f'sglang:{name}_total{{model_name="m"}} {value}' for name, value in rows]


def test_sglangs_counters_outrank_its_gauge() -> None:
    gauge = 'sglang:spec_accept_length{model_name="m"} 1.0'
    report = read(gauge, *sglang_scrape(100.0, 260.0, 10.0))
    assert report.accept_length == 2.5 and values(report) == [1.0, 2.5]
    assert report.observations[1].flags == ("since-start",)


def test_of_two_sglang_scrapes_the_difference_counts() -> None:
    assert read(*sglang_scrape(100.0, 260.0, 10.0), *sglang_scrape(200.0, 570.0, 20.0)).accept_length == 3.0
    assert values(read(*sglang_scrape(100.0, 260.0, 10.0)[:2])) == []


MARKDOWN = [
    "| dataset | Acc Length | tokens/s |",
    "|---|:---:|---|",
    "| one | 2.40 | 88.10 |",
    "| two | **2.44** | 91.00 |",
]


def test_a_column_is_read_by_the_name_at_its_head() -> None:
    report = read(*MARKDOWN, "", "| three | 9.00 | 1.00 |")
    assert [(o.line, o.accept_length) for o in report.observations] == [(3, 2.4), (4, 2.44)]
    assert report.accept_length == pytest.approx(2.42, abs=0.005)


def test_a_second_table_of_the_same_shape_is_read_too() -> None:
    other = ["| dataset | Acc Rate | tokens/s |", "|---|---|---|", "| one | 7.50 | 3.00 |"]
    assert values(read(*MARKDOWN, "", *other, "", *MARKDOWN)) == [2.4, 2.44, 2.4, 2.44]


@pytest.mark.parametrize("row", ["| one | 2.4", "| one | n/a | 88.10 |", "| one | 2 | 88.10 |", "| 2.40 |"])
def test_a_cut_row_of_a_column_yields_nothing(row: str) -> None:
    assert values(read(*MARKDOWN[:2], row)) == []


def test_rates_by_position_add_up() -> None:
    report = read("Per-position acceptance (%):", "  Position 0:      80.00", "  Position 1:      45.00", "=====")
    assert values(report) == [2.25] and report.observations[0].flags == ("from-positions",)
    assert values(read("acceptance by position", "Position 0: 80%", "Position 1: 45%", "")) == [2.25]
    assert values(read("Position 0: 80%", "Position 1: 45%", "")) == []


def test_rates_by_position_that_rise_or_repeat_a_summary_yield_nothing() -> None:
    assert values(read("acceptance by position", "Position 0: 45%", "Position 1: 80%", "")) == []
    assert values(
        read("Acceptance length:      2.31", "Per-position acceptance (%):", "  Position 0:   80.00", "")
    ) == [2.31]


def test_a_number_that_no_draft_reaches_is_no_accept_length() -> None:
    report = read("Acceptance length: 183, of 200")
    assert values(report) == [None] and report.observations[0].flags == ("implausible",)
    assert report.accept_length is None


def test_one_scrape_tells_of_the_whole_life_of_its_server() -> None:
    report = read(*scrape(200.0, 150.0))
    assert (report.engine, report.accept_length, report.outcome) == ("vllm", 1.75, Outcome.OK)
    assert report.observations[0].flags == ("since-start",)


def test_of_two_scrapes_the_difference_counts() -> None:
    report = read(*scrape(1000.0, 100.0), *scrape(1100.0, 300.0))
    assert values(report) == [1.1, 3.0] and report.accept_length == 3.0


def test_engines_of_one_server_are_told_apart_and_a_restart_begins_anew() -> None:
    both = [*scrape(100.0, 100.0, 0), *scrape(300.0, 330.0, 1)]
    assert values(read(*both)) == [2.0, 2.1]
    assert values(read(*scrape(100.0, 100.0), *scrape(50.0, 25.0))) == [2.0, 1.5]


def test_a_scrape_without_a_draft_or_cut_yields_nothing() -> None:
    assert values(read(*scrape(0.0, 0.0))) == []
    assert values(read(scrape(100.0, 100.0)[3])) == []
    assert values(read(*scrape(100.0, 100.0)[:3], "vllm:spec_decode_num_accepted_tokens_total{engine=")) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(encoding: str) -> None:
    assert classify_log(io.BytesIO("Accept length: 2.41\r\nMemoryError\r\n".encode(encoding))).accept_length == 2.41


def test_a_crash_behind_zeroed_blocks_and_junk_is_found() -> None:
    junk = bytes(range(128, 256)) * 3000 + bytes(range(1, 32)) * 2000 + b"\0" * 500_000
    report = classify_log(
        io.BytesIO(junk + b"\n" + b"\0" * 4096 + b"torch.OutOfMemoryError: CUDA out of memory\n" + junk)
    )
    assert report.outcome is Outcome.OOM
