"""Boots beyond a sweep's cells over stub releases and the real venv executor: planned, told, killed and gone on with."""

import signal
import time
from pathlib import Path
from typing import Any

from tests.e2e.kit import Place, place, toml

USUAL, ODD = [0.7, 0.45, 0.25], [0.6, 0.36, 0.16]
WIDE = ("limit = 4", "limit = 64")
"""As many prompts as are ever asked for, so that boots are what is left to ask for."""


def project(root: Path, script: dict[str, Any], judge: str) -> Place:
    """Two releases; the starts of each server are counted, so that each may be scripted. Real speeds play no part."""
    here = place(root)
    (root / "starts").mkdir()
    here.write(toml({"starts": str(root / "starts")} | script, judge=f"{judge}\nrelevant_speed = 0.9").replace(*WIDE))
    return here


def boots(here: Place) -> list[tuple[str, int]]:
    """Revision and ordinal of each drafted run, in the order of runs."""
    rows = sorted(here.lines("results"), key=lambda row: row["finished_at"])
    return [(row["revision"], row["boot"]) for row in rows if row["spec"] == "eagle3"]


def test_the_repeat_is_planned_counted_and_measured_once(tmp_path: Path) -> None:
    here = project(tmp_path, {}, "[judge]\nminutes = 0")
    planned = here.lines("plan")
    assert [(r["version"], r["spec"], r["boot"]) for r in planned if r["status"] == "repeat (noise)"] == [
        ("1.0.0", "eagle3", 1)
    ]
    assert "4 to do, 1 to repeat for noise" in " ".join(here.run("plan").stdout.split())
    done = here.run("sweep")
    assert done.returncode == 0 and "5/5 vllm 1.0.0" in done.stderr
    assert boots(here) == [("1.0.0", 0), ("1.1.0", 0), ("1.0.0", 1)]
    assert {r["status"] for r in here.lines("plan")} == {"measured"}
    here.write((here.folder / "matrix.toml").read_text().replace("minutes", "repeats = 0\nminutes"))
    assert {r["status"] for r in here.lines("plan", "--db", "sqlite:///none.db")} == {"to-do"}


def test_what_is_ambiguous_is_booted_until_it_is_settled(tmp_path: Path) -> None:
    """The newer release falls by an eighth; single boots cannot tell that from the noise that is assumed."""
    here = project(tmp_path, {"by_version": {"1.1.0": {"acceptance": ODD}}}, "[judge]")
    done = here.run("sweep", timeout=600)
    assert done.returncode == 1, done.stderr
    assert "ambiguous: vllm/1.1.0/tiny/eagle3/short: -1" in done.stderr and "another boot of 1.1.0" in done.stderr
    (flip,) = here.lines("regressions")
    assert (flip["after"], flip["to_revision"], flip["numbers"]["ask"]) == ("degraded", "1.1.0", "")
    before = (boots(here), here.lines("regressions"))
    assert here.run("judge").returncode == 0
    assert here.run("sweep").returncode == 1
    assert (boots(here), here.lines("regressions")) == before


def test_one_odd_boot_is_no_regression(tmp_path: Path) -> None:
    """A release whose first boot is low and whose second is not stays undecided at the cap, and nothing is flagged."""
    turns = {"by_method": {"eagle3": {"by_start": [{"acceptance": ODD}, {"acceptance": USUAL}]}}}
    here = project(tmp_path, {"by_version": {"1.1.0": turns}}, "[judge]\nmax_boots = 2")
    done = here.run("sweep", timeout=600)
    assert done.returncode == 0, done.stderr
    assert sorted(boots(here)) == [("1.0.0", 0), ("1.0.0", 1), ("1.1.0", 0), ("1.1.0", 1)]
    assert here.lines("regressions") == []


def killed_after_its_repeat(tmp_path: Path) -> Place:
    """A sweep may be over before a busy machine gets to kill it: then another is."""
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        here = project(folder, {"by_version": {"1.1.0": {"acceptance": ODD}}}, "[judge]")
        process = here.start("sweep")
        while process.poll() is None and not ((here.folder / "matrix.db").exists() and ("1.0.0", 1) in boots(here)):
            time.sleep(0.05)
        process.kill()
        if process.wait(timeout=30) == -signal.SIGKILL:
            return here
    raise AssertionError("each of five sweeps was over before it could be killed")


def test_killed_between_boots_goes_on_and_doubles_none(tmp_path: Path) -> None:
    """The sweep is killed as soon as its repeat is stored, before what is ambiguous is settled."""
    here = killed_after_its_repeat(tmp_path)
    kept = boots(here)
    assert here.run("sweep", timeout=600).returncode == 1
    assert boots(here)[: len(kept)] == kept and len(set(boots(here))) == len(boots(here))
    (flip,) = here.lines("regressions")
    assert flip["after"] == "degraded"
