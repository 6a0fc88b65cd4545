"""A sweep that looks for the culprits of what it found, and the printed command that is accepted as it is."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import Place, place, toml

VERSIONS = [f"1.{i}.0" for i in range(5)]
FALLEN = {v: {"acceptance": [0.0, 0.0, 0.0]} for v in VERSIONS[3:]}
SECOND = '[specs.other]\nmethod = "eagle3"\ndraft = "head"\nk = 2\n'
AUTO = "[workloads.longer]\nlimit = 4\nmax_tokens = 40\n"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Five stub releases, the draft of which accepts nothing from 1.3.0 on."""
    return place(tmp_path_factory.mktemp("auto"), *VERSIONS)


def swept(here: Place, name: str, bisect: str, **more: Any) -> str:
    """Sweep the oldest and the newest release; what was said."""
    here.write(toml({"by_version": FALLEN}, versions='"1.0.0", "1.4.0"', **more) + bisect)
    done = here.run("sweep", "--db", f"sqlite:///{name}.db")
    assert done.returncode == 1, done.stderr
    return done.stderr


def shown(here: Place, name: str) -> list[dict[str, Any]]:
    return here.lines("bisect", "show", "--db", f"sqlite:///{name}.db")


def test_each_cause_gets_one_bisection_with_its_answer(here: Place) -> None:
    said = swept(here, "auto", "[bisect]\nauto = true\n", specs=SECOND)
    assert said.count("bisecting flip ") == 1, "two cells, one cause"
    (found,) = shown(here, "auto")
    assert (found["culprit"], found["status"], found["level"]) == ("1.3.0", "done", "release")
    assert "accept length fell in 1.3.0" in said
    again = here.run("sweep", "--db", "sqlite:///auto.db")
    assert "bisecting" not in again.stderr, "its flips are no longer new"


def test_what_the_budget_cannot_pay_is_left_out_and_said(here: Place) -> None:
    said = swept(here, "poor", "[bisect]\nauto = true\nbudget_min = 0.01\n")
    assert "more than the budget has left" in said
    assert shown(here, "poor") == []


def test_it_is_off_unless_asked_for_and_the_printed_command_runs_as_it_is(here: Place, tmp_path: Path) -> None:
    said = swept(here, "manual", "", specs=SECOND, extra=AUTO)
    assert "bisecting" not in said
    (found, *_) = here.lines("regressions", "--db", "sqlite:///manual.db")
    words = shlex.split(found["next"])
    assert words[:3] == ["matrix", "bisect", "run"]
    done = here.run(*words[1:], "--yes", "--json", "--db", "sqlite:///manual.db")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["culprit"] == "1.3.0"
    assert "suspects " in done.stderr and "% range" in done.stderr
