"""`[judge]` of a config: thresholds of the file and of its series, and what is refused."""

import pytest

from matrix.core.errors import ConfigError
from matrix.plan.expand import expand
from tests.plan.build import config, inputs

SERIES = """
[judge]
relevant = 0.05
false_discovery = 0.1

[judge.series."vllm/big/*"]
max_boots = 4

[judge.series.eagle]
relevant = 0.02
"""


def test_the_files_thresholds_then_those_of_each_wildcard_the_last_winning() -> None:
    made = config(SERIES)
    found = {(c.target.name, c.spec.name): made.judge.of(c) for c in expand(made, inputs(["1.0.0"])).cells}
    everywhere = {"relevant": 0.05, "false_discovery": 0.1}
    assert found["small", "lookup"] == everywhere
    assert found["big", "lookup"] == everywhere | {"max_boots": 4}
    assert found["big", "eagle"] == everywhere | {"max_boots": 4, "relevant": 0.02}


def test_without_the_table_nothing_departs_from_the_judges_own() -> None:
    made = config()
    assert [made.judge.of(c) for c in expand(made, inputs(["1.0.0"])).cells] == [{}] * 5
    assert (made.judge.repeats, made.judge.minutes) == (1, 30)


def test_a_wildcard_that_fits_no_series_is_found() -> None:
    made = config('[judge.series."vllm/1.0.0/*"]\nrelevant = 0.1\n')
    assert made.judge.unmatched(expand(made, inputs()).cells) == "vllm/1.0.0/*"
    assert config(SERIES).judge.unmatched(expand(made, inputs()).cells) is None


@pytest.mark.parametrize(
    "line",
    ["relevant = 0", "relevant = 1.5", "max_boots = 0", "repeats = -1", "minutes = -1", "minutes = nan", "alpha = 0.1"],
)
def test_what_cannot_be_is_refused_with_its_key(line: str) -> None:
    with pytest.raises(ConfigError, match=f"judge.{line.split(maxsplit=1)[0]}"):
        config(f"[judge]\n{line}\n")


def test_repeats_belong_to_the_file() -> None:
    with pytest.raises(ConfigError, match="unknown key"):
        config("[judge.series.eagle]\nrepeats = 2\n")
