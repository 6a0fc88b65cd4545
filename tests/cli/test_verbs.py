"""What messages, pages and documents tell a person to type exists."""

import re
from pathlib import Path

import pytest

from matrix.cli.main import VERBS, main

ROOT = Path(__file__).parents[2]
TOLD = sorted(
    file
    for pattern in ("matrix/**/*.py", "web/**/*.py", "web/templates/**/*.html", "docs/*.md", "README.md")
    for file in ROOT.glob(pattern)
)


@pytest.mark.parametrize("file", TOLD, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_verb_that_is_named_exists(file: Path) -> None:
    named = set(re.findall(r"`matrix ([a-z]+)", file.read_text(encoding="utf-8")))
    assert named <= VERBS.keys()


def test_the_readme_has_a_row_for_each_verb() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(VERBS)


def test_there_is_something_to_check() -> None:
    assert any("`matrix sweep`" in file.read_text(encoding="utf-8") for file in TOLD)


@pytest.mark.parametrize("words", [["bisect", "show"], ["bisect", "log"], ["status", "--sweep"]])
def test_a_number_that_no_database_holds_is_bad_usage(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "9" * 30, "--db", f"sqlite:///{tmp_path / 'm.db'}"]) == 2
    assert "is not in the range" in capsys.readouterr().err
