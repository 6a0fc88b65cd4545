"""Every fault of a matrix.toml is named by file, line, key and what was expected."""

import pytest

from matrix.core.errors import ConfigError, Exit
from matrix.demo import CONFIG
from matrix.plan.config import json_schema
from matrix.plan.example import EXAMPLE
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL


def fault(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "my.toml")
    assert caught.value.exit_code == Exit.USAGE
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ("steps = 5", "stepz = 5", 21, "specs.lookup.stepz", "unknown key"),
        ("steps = 5", 'steps = "5"', 21, "specs.lookup.steps", "expected a whole number, not '5'"),
        ("steps = 5", "steps = 0", 21, "specs.lookup.steps", "greater than or equal to 1"),
        ("steps = 5", "", 19, "specs.lookup", "exactly one of `k` and `steps`"),
        ("k = 3", "k = 3\nsteps = 3", 13, "specs.eagle", "exactly one of `k` and `steps`"),
        ('draft = "head"', 'draft = "haed"', 15, "specs.eagle.draft", "no draft is called `haed`"),
        ('draft = "head"', "", 13, "specs.eagle", "needs a `draft`"),
        ('method = "eagle3"', 'method = "eagel"', 14, "specs.eagle.method", "'eagle3'"),
        ('path = "models/big"', "", 4, "targets.big", "exactly one of `path` and `hub`"),
        ('"1.0.0", "1.1.0"', "1.0", 2, "engines.vllm.versions", "expected text in quotes"),
        ('"1.0.0", "1.1.0"', '"banana"', 2, "engines.vllm.versions", "is no version"),
        ('"1.0.0", "1.1.0"', '"latest:0"', 2, "engines.vllm.versions", "is no version"),
        ('versions = ["1.0.0", "1.1.0"]', "", 1, "engines.vllm.versions", "this key is missing"),
        ('"1.0.0", "1.1.0"', "", 2, "engines.vllm.versions", "expected at least one entry"),
        ('path = "models/big"', 'path = "a\\u0000b"', 5, "targets.big.path", "zero byte"),
        ('"1.1.0"]', '"1.1.0"]\nenv = { "A=B" = "x" }', 3, "engines.vllm.env", "pattern"),
        ('"1.1.0"]', '"1.1.0"]\nenv = { A = "\\u0000" }', 3, "engines.vllm.env", "zero byte"),
        ('"1.1.0"]', f'"1.1.0"]\nflags = ["--x={"y" * 128_000}"]', 3, "engines.vllm.flags", "more than 128000 bytes"),
        ("[engines.vllm]", "limits = { start_s = inf }\n[engines.vllm]", 1, "limits", "finite"),
        (
            "[engines.vllm]",
            "limits = { request_s = 1e300 }\n[engines.vllm]",
            1,
            "limits",
            "less than or equal to 604800",
        ),
        ("[engines.vllm]", "docker = { memory_gib = nan }\n[engines.vllm]", 1, "docker", ""),
        ("[engines.vllm]", "[engines.vlm]", 1, "engines.vlm", "which engine"),
    ],
)
def test_a_fault_is_named(old: str, new: str, line: int, key: str, says: str) -> None:
    assert old in MINIMAL
    error = fault(MINIMAL.replace(old, new, 1))
    assert error.where.file == "my.toml"
    assert says in error.cause
    assert (error.where.key or "").startswith(key)
    assert error.where.line == line


def test_an_unknown_key_lists_what_is_allowed() -> None:
    error = fault(MINIMAL.replace("steps = 5", "stepz = 5"))
    assert "steps" in error.hint and "draft_tokens" in error.hint


def test_broken_toml_names_its_line() -> None:
    error = fault(MINIMAL.replace("k = 3", "k = = 3"))
    assert error.where.line == 16
    assert "not valid TOML" in error.cause


def test_all_faults_are_told_not_only_the_first() -> None:
    error = fault(MINIMAL.replace("steps = 5", "stepz = 5").replace('path = "models/big"', "pth = 1"))
    assert len([error, *error.others]) >= 2


def test_an_exclusion_without_a_reason_is_refused() -> None:
    error = fault(MINIMAL + '\n[[exclude]]\nspec = "lookup"\n\n[[exclude]]\nspec = "eagle"\nreason = "no"\n')
    keys = {e.where.key: e.where.line for e in [error, *error.others]}
    assert keys == {"exclude.0.reason": 23, "exclude.1.reason": 28}


def test_the_example_and_the_demo_are_valid() -> None:
    assert parse_config(EXAMPLE, "matrix.toml").specs.keys() == {"eagle3-k3", "ngram-k3"}
    demo = parse_config(CONFIG.read_text(), str(CONFIG))
    assert demo.executor == "venv"
    assert demo.engines["vllm"].versions == ["0.27.1", "0.32.0"]


def test_the_schema_describes_every_top_level_table() -> None:
    schema = json_schema()
    assert {"engines", "targets", "drafts", "specs", "workloads", "exclude"} <= schema["properties"].keys()
    assert schema["additionalProperties"] is False


def test_an_exclusion_whose_range_is_none_is_refused() -> None:
    error = fault(MINIMAL + '\n[[exclude]]\nversion = ">>=3"\nreason = "known to hang"\n')
    assert error.where.key == "exclude.0.version"
    assert "is no range" in error.cause


def test_a_file_nested_too_deep_is_refused() -> None:
    assert "nested too deep" in fault("a = " + "[" * 5000 + "]" * 5000).cause


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    assert "too many digits" in fault(MINIMAL.replace("k = 3", "k = " + "9" * 5000)).cause


def test_of_very_many_faults_the_first_are_explained_and_the_rest_counted() -> None:
    error = fault(MINIMAL + "".join(f"\n[[exclude]]\nfault{i} = 1\n" for i in range(500)))
    assert len(error.others) == 20
    assert error.others[-1].cause == "980 further faults"
