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
    assert values(read('{"meta_info":{"spec_verify_ct":20,"completion_tokens":51}}')) == []


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
