"""What a draft's author published, as the file holds it."""

import pytest

from matrix.core.errors import ConfigError
from matrix.core.expectation import Bonus, Expectation
from matrix.plan.config import json_schema
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL

HEAD = 'path = "models/head"'


def with_expectations(text: str) -> str:
    return MINIMAL.replace(HEAD, f"{HEAD}\nexpectations = [{text}]")


def test_what_the_author_did_not_say_stays_out() -> None:
    config = parse_config(with_expectations('{ value = 3.1 }, { value = 2, bonus = "no", k = 7 }'), "m.toml")
    first, second = (table.of("head") for table in config.drafts["head"].expectations)
    assert first == Expectation("head", 3.1, Bonus.UNKNOWN)
    assert (second.value, second.bonus, second.k, second.workload) == (2.0, Bonus.NO, 7, "")


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ('{ value = 3.1, bonus = "maybe" }', "bonus", "'unknown'"),
        ("{ value = 0 }", "value", "greater than 0"),
        ("{ k = 3 }", "expectations", "missing"),
        ("{ value = 3.1, prompts = 'x' }", "prompts", "unknown key"),
    ],
)
def test_a_fault_is_named(text: str, key: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(with_expectations(text), "m.toml")
    assert key in (caught.value.where.key or "") and says in caught.value.cause


def test_editors_know_the_keys() -> None:
    assert "ExpectationTable" in str(json_schema())
