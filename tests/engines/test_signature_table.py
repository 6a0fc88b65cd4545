"""Every row of the failure table names what it should, and leaves alone what comes near."""

import io
from pathlib import Path

import pytest

from matrix.core.outcome import Outcome
from matrix.engines.classify import classify_log
from matrix.engines.hot import CAUSES, hot
from matrix.engines.patternwords import alternatives
from matrix.engines.signature import Signature
from matrix.engines.signatures import TABLE, WRAPPER_ROWS
from matrix.engines.signatures.table import markdown
from tests.engines.signature_examples import EXAMPLES

ROWS = {row.name: row for row in (*TABLE, *WRAPPER_ROWS)}
BEGIN, END = "<!-- signatures -->\n", "<!-- /signatures -->\n"


def test_every_row_has_its_examples_and_its_own_name() -> None:
    assert set(EXAMPLES) == set(ROWS)
    assert len(ROWS) == len(TABLE) + len(WRAPPER_ROWS)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_names_its_failure_and_not_its_neighbour(row: Signature) -> None:
    hit, miss = EXAMPLES[row.name]
    found, other = classify_log(io.BytesIO(hit.encode())), classify_log(io.BytesIO(miss.encode()))
    assert found.signature == row.name
    crash = Outcome.SERVE_CRASH if row.usual == "serve" else Outcome.LOAD_CRASH
    assert found.outcome is (row.outcome or crash)
    assert found.reason and "{" not in found.reason and found.excerpt
    assert other.signature != row.name


@pytest.mark.parametrize("name", ROWS)
def test_the_cheap_first_look_passes_every_failure(name: str) -> None:
    assert any(hot(line.encode()) for line in EXAMPLES[name][0].splitlines())


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_no_alternative_of_a_row_escapes_the_cheap_first_look(row: Signature) -> None:
    missed = [runs for runs in alternatives(row.pattern.text) if not any(w in run for w in CAUSES for run in runs)]
    assert missed == [], "add a word of each to `matrix.engines.hot.CAUSES`"


def test_ordinary_lines_are_not_looked_at() -> None:
    for line in (
        "INFO 02-03 04:05:06 [logger.py:1] Received request cmpl-1: prompt: 'Traceback: CUDA out of memory, accept len: 2.5,'",
        "(APIServer pid=4) INFO 02-03 04:05:06 [x.py:1] Using cache folder /data/failed-runs",
        "\x01\x02Killed\x03\x04\udc80",
        "Loading weights took 12.5 seconds",
    ):
        assert not hot(line.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("name", ROWS)
def test_prefixes_and_colours_hide_no_failure(name: str) -> None:
    hit = EXAMPLES[name][0].splitlines()[-1]
    stacked = f"engine-1  | \x1b[1;36m(EngineCore pid=31)\x1b[0;0m ERROR 02-03 04:05:06 [core.py:77] {hit}"
    assert classify_log(io.BytesIO(stacked.encode())).signature == name


def test_the_documented_table_is_the_codes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "classify.md").read_text(encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == markdown()
