"""`matrix results`: what a filter leaves, and how far speed-ups lie apart."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.cli.main import main
from matrix.store import Store, open_store
from tests.store.build import baseline_run, cell, run, sample


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = open_store(url)
    yield made
    made.close()


@pytest.fixture
def two(store: Store) -> Store:
    """A draft twice as fast as its baseline on one prompt and four times on the other, and a second release."""
    store.runs.save(baseline_run("b"))
    store.runs.save(run("r", cell(), sample(tokens=32), sample("chat-1", tokens=32, seconds=0.5), at=2000.0))
    store.runs.save(run("old", cell("0.9.2"), sample(tokens=32), at=3000.0))
    return store


def test_a_speed_up_stands_beside_its_spread(url: str, two: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--db", url, "--revision", "0.27.1"]) == 0
    out = capsys.readouterr().out
    assert "2.67 (2.00-4.00)" in out
    assert out.count("(") == 1, "a baseline has no speed-up, so no spread"


def test_a_run_without_a_baseline_has_no_spread(url: str, two: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--db", url, "--revision", "0.9.2"]) == 0
    assert "(" not in capsys.readouterr().out


@pytest.mark.parametrize("style", [[], ["--json"]])
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--revision", "0.99"], "no run has --revision 0.99 (known: 0.9.2, 0.27.1)"),
        (["--engine", "sglang"], "no run has --engine sglang (known: vllm)"),
        (["--outcome", "okay"], "no run has --outcome okay (known: ok)"),
        (["--series", "nope"], "no run has --series nope (known: "),
    ],
)
def test_a_value_that_no_run_has_is_told(
    url: str, two: Store, style: list[str], asked: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", "--db", url, *asked, *style]) == 3
    told = capsys.readouterr()
    assert said in told.err and told.out == ""


def test_filters_that_fit_no_run_together(url: str, two: Store, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = baseline_run("x").cell.series_key
    assert main(["results", "--db", url, "--revision", "0.9.2", "--series", baseline]) == 3
    assert "fits all of these filters together" in capsys.readouterr().err


def test_many_values_are_cut(url: str, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    for minor in range(14):
        store.runs.save(run(f"r{minor}", cell(f"0.{minor}.0"), sample(), at=1000.0 + minor))
    assert main(["results", "--db", url, "--revision", "7"]) == 3
    assert "(known: 0.2.0, " in (err := capsys.readouterr().err)
    assert err.rstrip().endswith("0.13.0 and 2 more)")


def test_an_empty_database_is_no_error(url: str, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--db", url, "--engine", "vllm"]) == 0
    assert "`matrix sweep`" in capsys.readouterr().out
    assert main(["results", "--db", url, "--json"]) == 0
    assert capsys.readouterr().out == ""


def test_json_rows_are_unchanged_by_the_look_ahead(url: str, two: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--db", url, "--json"]) == 0
    assert [json.loads(line)["run_id"] for line in capsys.readouterr().out.splitlines()] == ["b", "r", "old"]
