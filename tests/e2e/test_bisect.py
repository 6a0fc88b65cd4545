"""Bisections over stub releases through the real venv executor: answers, refusals, kills, git's own `bisect run`."""

import json
import shlex
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import Place, place, servers_of, toml
from tests.fakes.simple_index import simple_index

VERSIONS = [f"1.{i}.0" for i in range(12)]
CELL = ("--engine", "vllm", "--target", "tiny", "--draft", "head")
GOOD_BAD = ("--good", "1.0.0", "--bad", "1.11.0", "--yes")
DEAD = {"mode": "crash", "log": "ValueError: There is no module or parameter named 'draft_id' in LlamaForCausalLM"}


def since(version: str, script: dict[str, Any]) -> dict[str, Any]:
    """The script from `version` on."""
    return {v: dict(script) for v in VERSIONS[VERSIONS.index(version) :]}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Twelve stub releases; each test writes its own script and keeps its own database."""
    return place(tmp_path_factory.mktemp("bisect"), *VERSIONS)


def scripted(here: Place, by_version: dict[str, Any], name: str) -> str:
    """Write the config; returns the test's own database."""
    here.write(toml({"by_version": by_version}, versions='"1.0.0"'))
    return f"sqlite:///{name}.db"


def report(here: Place, db: str, *args: str, code: int = 0) -> dict[str, Any]:
    done = here.run("bisect", "run", *CELL, *GOOD_BAD, "--db", db, "--json", *args)
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_collapse_is_found_and_both_sides_are_run_again(here: Place) -> None:
    db = scripted(here, since("1.7.0", {"acceptance": [0.0, 0.0, 0.0]}), "collapse")
    found = report(here, db, "--regress", "accept")
    assert (found["culprit"], found["range"], found["status"]) == ("1.7.0", ["1.6.0", "1.7.0"], "done")
    assert found["confidence"] >= 0.95
    asked = [a["point"] for a in found["answers"]]
    assert asked[:2] == ["1.0.0", "1.11.0"]
    assert asked.count("1.7.0") >= 2 <= asked.count("1.6.0")
    assert found["runs"] == len(asked) == found["engine_starts"] <= 8
    assert found["before"]["accept_length"] > 1.5 > 1.0 == found["after"]["accept_length"]
    assert "revision=1.7.0" in found["reproduce"]

    again = report(here, db, "--regress", "accept")
    assert (again["culprit"], again["engine_starts"]) == ("1.7.0", 0)


def test_another_crash_and_a_release_that_cannot_be_built_are_no_evidence(here: Place) -> None:
    other = {"mode": "crash", "log": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"}
    db = scripted(here, since("1.9.0", DEAD) | {"1.5.0": other, "1.6.0": other, "1.7.0": other}, "works")
    found = report(here, db, "--regress", "works")
    assert found["culprit"] == "1.9.0"
    skipped = {a["point"] for a in found["answers"] if a["said"] == "skip"}
    assert skipped <= {"1.5.0", "1.6.0", "1.7.0"}
    assert all("another failure" in a["why"] for a in found["answers"] if a["said"] == "skip")


def test_what_cannot_be_told_apart_is_a_range(here: Place) -> None:
    other = {"mode": "crash", "log": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"}
    db = scripted(here, since("1.6.0", DEAD) | {"1.5.0": other, "1.6.0": other}, "range")
    found = report(here, db, "--regress", "works")
    assert found["culprit"] is None
    assert found["range"] == ["1.4.0", "1.7.0"]
    assert any("3 changes" in text for text in found["not_tested"])


def test_the_repair_is_found(here: Place) -> None:
    broken = {v: {"acceptance": [0.0, 0.0, 0.0]} for v in VERSIONS[:5]}
    db = scripted(here, broken, "fixed")
    done = here.run(
        "bisect",
        "run",
        *CELL,
        "--good",
        "1.11.0",
        "--bad",
        "1.0.0",
        "--regress",
        "fixed",
        "--yes",
        "--db",
        db,
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["culprit"] == "1.5.0"


def test_without_a_good_end_it_walks_back_by_doubling(here: Place) -> None:
    db = scripted(here, since("1.9.0", {"acceptance": [0.0, 0.0, 0.0]}), "back")
    done = here.run("bisect", "run", *CELL, "--bad", "latest", "--yes", "--db", db, "--json")
    assert done.returncode == 0, done.stderr
    assert "latest is the release 1.11.0" in done.stderr
    assert [v for v in ("1.10.0", "1.9.0", "1.7.0", "1.3.0") if f"is {v} good?" in done.stderr] == [
        "1.10.0",
        "1.9.0",
        "1.7.0",
    ]
    assert json.loads(done.stdout)["culprit"] == "1.9.0"


@pytest.mark.parametrize(
    ("by_version", "words"),
    [
        ({}, "the bad end 1.11.0 is good"),
        (since("1.0.0", {"acceptance": [0.0, 0.0, 0.0]}), "the good end 1.0.0 is bad"),
        ({"1.0.0": DEAD}, "the good end 1.0.0 cannot be tested"),
    ],
)
def test_ends_that_do_not_differ_are_refused_after_their_runs(
    here: Place, by_version: dict[str, Any], words: str
) -> None:
    db = scripted(here, by_version, "ends" + words.split()[3])
    found = report(here, db, "--regress", "accept", code=1)
    assert found["status"] == "refused"
    assert words in found["reason"]
    assert found["culprit"] is None
    assert found["runs"] <= 2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--good", "1.5.0", "--bad", "1.5.0"), "both bounds are 1.5.0"),
        (("--good", "1.9.0", "--bad", "1.2.0"), "is older than the good bound"),
        (("--good", "abcdef1234", "--bad", "1.2.0"), "--clone"),
        (("--good", "nonsense", "--bad", "1.2.0"), "`nonsense` is no bound"),
        (("--good", "1.0.0", "--bad", "7.7.7"), "no package index has vllm 7.7.7"),
        (("--good", "1.0.0", "--bad", "1.2.0rc1"), "no package index has vllm 1.2.0rc1"),
        (("--good", "1.0.0", "--bad", "1.2.0", "--confidence", "95"), "`95` is no probability"),
        (("--good", "last-good", "--bad", "1.2.0"), "known to be good"),
        (("--good", "1.0.0", "--bad", "1.2.0", "--spec", "other"), "no cell of the config fits"),
    ],
)
def test_bad_input_is_one_clear_line(here: Place, args: tuple[str, ...], words: str) -> None:
    db = scripted(here, {}, "input")
    done = here.run("bisect", "run", *CELL, *args, "--yes", "--db", db)
    assert done.returncode == (3 if "known to be good" in words else 2)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("matrix:")]
    assert words in line


def test_it_goes_on_where_it_was_killed(here: Place) -> None:
    db = scripted(here, since("1.8.0", {"acceptance": [0.0, 0.0, 0.0]}), "killed")
    running = here.start("bisect", "run", *CELL, *GOOD_BAD, "--db", db)
    log = here.folder / "sweep.err"
    _until(lambda: log.read_text().count("search: ") >= 1)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = json.loads(here.run("bisect", "show", "1", "--db", db, "--json").stdout)["answers"]
    assert len(kept) >= 3
    told = here.run("status", "--db", db).stdout
    resume = next(line for line in told.splitlines() if line.startswith("bisection 1: "))
    assert ": interrupted, go on with: matrix bisect run " in resume
    words = shlex.split(resume.partition("go on with: matrix ")[2])
    done = here.run(*words, "--yes", "--db", db, "--json")
    assert done.returncode == 0, done.stderr
    assert f"taking up bisection 1: {len(kept)} answers are kept" in done.stderr
    found = json.loads(done.stdout)
    assert found["culprit"] == "1.8.0"
    assert [a["point"] for a in found["answers"]][: len(kept)] == [a["point"] for a in kept]
    assert found["engine_starts"] <= found["runs"] - len(kept)
    assert servers_of(here.folder) == []


def test_answers_by_hand_logs_and_replay(here: Place, tmp_path: Path) -> None:
    db = scripted(here, since("1.4.0", {"acceptance": [0.0, 0.0, 0.0]}), "hand")
    report(here, db, "--regress", "accept")
    log = here.run("bisect", "log", "--db", db).stdout
    assert log.startswith("git bisect start '1.11.0' '1.0.0'\n")
    assert "git bisect bad 1.4.0" in log
    assert here.run("bisect", "undo", "--db", db).returncode == 0
    assert here.run("bisect", "retry", "1.4.0", "--db", db).returncode == 0
    assert "git bisect bad 1.4.0" not in here.run("bisect", "log", "--db", db).stdout
    assert here.run("bisect", "skip", "1.4.0", "--db", db).returncode == 0
    assert "git bisect skip 1.4.0" in here.run("bisect", "log", "--db", db).stdout
    (tmp_path / "it.log").write_text(log)
    assert here.run("bisect", "replay", str(tmp_path / "it.log"), "--db", db).returncode == 0
    assert here.run("bisect", "log", "--db", db).stdout == log
    refused = here.run("bisect", "good", "9.9.9", "--db", db)
    assert refused.returncode == 3
    assert "`9.9.9` names 0 points" in refused.stderr


def test_nothing_starts_without_consent(here: Place) -> None:
    db = scripted(here, {}, "consent")
    done = here.run("bisect", "run", *CELL, "--good", "1.0.0", "--bad", "1.11.0", "--db", db)
    assert done.returncode == 2
    assert "11 points, about 8 runs" in done.stderr
    assert "give --yes" in done.stderr
    assert here.run("bisect", "show", "--db", db).stdout == ""


def _until(true: Any, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.1)


def test_nightlies_are_found_in_the_index_without_any_repository(tmp_path: Path) -> None:
    dev = [f"1.1.0.dev{i}" for i in range(1, 7)]
    here = place(tmp_path, "1.0.0", *dev, "1.1.0")
    dead = {v: {"acceptance": [0.0, 0.0, 0.0]} for v in (*dev[3:], "1.1.0")}
    here.write(toml({"by_version": dead}, versions='"1.0.0"'))
    words = ("bisect", "run", *CELL, "--good", "1.0.0", "--bad", "1.1.0", "--level", "nightly", "--yes", "--json")
    with simple_index(here.wheels) as url:
        done = here.run(*words, env={"PIP_FIND_LINKS": "", "PIP_NO_INDEX": "", "PIP_INDEX_URL": url})
    assert done.returncode == 0, done.stderr
    assert "looking at the nightlies between 1.0.0 and 1.1.0" in done.stderr
    found = json.loads(done.stdout)
    assert (found["level"], found["culprit"], found["range"]) == ("nightly", dev[3], [dev[2], dev[3]])


def test_the_last_sweeps_config_is_used_where_there_is_none(tmp_path: Path) -> None:
    elsewhere = place(tmp_path, "1.0.0", "1.1.0")
    dead = {"1.1.0": {"acceptance": [0.0, 0.0, 0.0]}}
    elsewhere.write(toml({"by_version": dead}))
    file = (elsewhere.folder / "matrix.toml").rename(elsewhere.folder / "other.toml")
    assert elsewhere.run("sweep", "-c", str(file)).returncode == 1
    words = elsewhere.lines("regressions")[0]["next"].split()
    done = elsewhere.run(*words[1:], "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert f"using that of the last sweep, {file}" in done.stderr
    assert json.loads(done.stdout)["culprit"] == "1.1.0"
