"""The product of the tables, its baselines, exclusions and selection."""

import pytest

from matrix.core.errors import ConfigError
from matrix.plan.expand import expand
from matrix.plan.select import cell_name
from tests.plan.build import config, inputs


def names(*selectors: str, extra: str = "") -> list[str]:
    return [cell_name(c).removesuffix("/standard") for c in expand(config(extra), inputs(), selectors).cells]


def test_every_target_gets_its_baseline_first() -> None:
    assert names() == [
        "vllm/1.0.0/big/baseline",
        "vllm/1.0.0/small/baseline",
        "vllm/1.0.0/big/eagle",
        "vllm/1.0.0/big/lookup",
        "vllm/1.0.0/small/lookup",
        "vllm/1.1.0/big/baseline",
        "vllm/1.1.0/small/baseline",
        "vllm/1.1.0/big/eagle",
        "vllm/1.1.0/big/lookup",
        "vllm/1.1.0/small/lookup",
    ]


def test_a_selected_draft_brings_its_baseline() -> None:
    assert names("spec=eagle", "revision=1.1*") == names("spec=eagle", "version=1.1*")
    assert names("spec=eagle", "revision=1.1*") == ["vllm/1.1.0/big/baseline", "vllm/1.1.0/big/eagle"]


def test_a_bare_wildcard_matches_any_part_of_the_name() -> None:
    assert names("look*") == names("spec=lookup")
    assert names("*/1.0.0/small/*") == ["vllm/1.0.0/small/baseline", "vllm/1.0.0/small/lookup"]


def test_selectors_of_one_field_are_alternatives() -> None:
    assert len(names("spec=eagle", "spec=lookup", "version=1.0.0", "target=big")) == 3


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ConfigError, match="`color` is no field"):
        names("color=red")


def test_an_exclusion_keeps_its_reason() -> None:
    rule = '\n[[exclude]]\nspec = "eagle"\nversion = ">=1.1"\nreason = "hangs at load there"\nlink = "issue 7"\n'
    result = expand(config(rule), inputs())
    assert [cell_name(e.cell) for e in result.excluded] == ["vllm/1.1.0/big/eagle/standard"]
    assert result.excluded[0].reason == "hangs at load there"
    assert "vllm/1.1.0/big/eagle" not in names(extra=rule)
    assert "vllm/1.0.0/big/eagle" in names(extra=rule)


def test_steps_and_k_are_one_thing() -> None:
    cells = {c.spec.name: c for c in expand(config(), inputs()).cells}
    assert (cells["eagle"].spec.k, cells["lookup"].spec.k) == (3, 5)
