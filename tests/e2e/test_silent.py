"""Silent failures, swept on both engines: each is named on the result, in a flag and in words."""

from typing import Any

import pytest

from tests.e2e.kit import Place
from tests.e2e.sites import case_of, project, run_of

ENGINES = ("vllm", "sglang")
REST = """
[workloads.short]
limit = 6
max_tokens = 48
uptime = 0.01
"""
STEADY = {"acceptance": [0.7, 0.45, 0.25]}
# A slow round is longer than the window of 0.06 s, so that the first window holds one round; the server has answered
# 14 requests when that is over: one until ready, one to warm up, six of the probe, six of the round.
FADING = {"acceptance": [0.9, 0.8, 0.7], "later": [0.3, 0.1, 0.0], "later_after": 14, "token_s": 0.0005}

# What the draft's server does, the outcome, the flag, and words of the reason.
CASES: dict[str, tuple[dict[str, Any], str, str | None, str]] = {
    "steady": ({}, "ok", None, "accept length 2."),
    "off": ({"draftless": 1.0}, "measured-nothing", "speculation-off", "no draft was ever verified"),
    "hidden": (
        {"mode": "no-counters", "per_request": False},
        "measured-nothing",
        "no-counters",
        "the server exposes no draft counters",
    ),
    "never": ({"acceptance": [0.0, 0.0, 0.0]}, "ok", "never-accepted", "verify steps accepted a draft"),
    "always": ({"acceptance": [1.0, 1.0, 1.0]}, "ok", "always-accepted", "every draft was accepted"),
    "loops": ({"texts": "loop", "acceptance": [0.9, 0.9, 0.9]}, "wrong-output", "loops", "texts repeat themselves"),
    "blank": ({"texts": "blank"}, "wrong-output", "garbage", "6 of 6 texts are blank or unreadable"),
    "wrong": ({"texts": "swapped", "gap": 3.0}, "wrong-output", "diverges", "more than rounding explains"),
    "smaller": ({"settles": 2}, "ok", "other-settings", "2.00 drafts a step were proposed where k = 3"),
    "fading": (FADING, "ok", "drift", "while the server ran"),
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, dict[tuple[str, str], dict[str, Any]]]:
    scripts = {name: {"by_method": {"eagle3": STEADY | script}} for name, (script, *_) in CASES.items()}
    here = project(tmp_path_factory.mktemp("silent"), {}, REST, scripts=scripts)
    done = here.run("sweep")
    assert done.returncode in (0, 1), done.stderr
    (here.folder / "said.txt").write_text(done.stderr)
    return here, {(r["engine"], case_of(r)): r for r in here.lines("results") if r["method"] != "none"}


Swept = tuple[Place, dict[tuple[str, str], dict[str, Any]]]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_each_is_named_in_a_flag_and_in_words(swept: Swept, engine: str, case: str) -> None:
    _, outcome, flag, words = CASES[case]
    row = swept[1][engine, case]
    assert row["outcome"] == outcome, row["reason"]
    assert words in row["reason"]
    assert flag in row["flags"] if flag else row["flags"] == []
    assert (row["accept_length"] is None) == (outcome == "measured-nothing")


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_over_time_are_stored(swept: Swept, engine: str) -> None:
    here, rows = swept
    fading, steady = (run_of(here, rows[engine, case]).uptime for case in ("fading", "steady"))
    assert fading is not None and fading.first is not None and fading.last is not None and fading.high is not None
    assert fading.first > 2.5 > 1.8 > fading.last and fading.drift and fading.high < 0
    assert steady is not None and steady.rounds > 1 and steady.first == steady.last and not steady.drift


def test_the_command_line_says_them_too(swept: Swept) -> None:
    said = (swept[0].folder / "said.txt").read_text()
    assert [words for _, _, _, words in CASES.values() if said.count(words) < len(ENGINES)] == []
