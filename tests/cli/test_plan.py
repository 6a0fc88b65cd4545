"""What `matrix plan` says beside its cells and below them."""

from dataclasses import replace
from pathlib import Path

from matrix.app.planning import Plan
from matrix.app.source import Source
from matrix.cli.plan import footnotes, remark, summary
from matrix.core.cell import Cell
from matrix.core.revision import Revision
from matrix.plan.estimate import Estimate
from tests.app.build import cell, planned
from tests.plan.build import MINIMAL


def at(engine: str, version: str) -> Cell:
    return replace(cell(), revision=Revision(engine, version))


def test_releases_that_were_not_read_have_a_footnote_each() -> None:
    cells = [at("vllm", "0.33.0"), at("vllm", "0.34.0"), at("vllm", "0.34.0"), at("sglang", "0.6.0")]
    assert footnotes(cells) == [
        "* vllm 0.34.0 is none of the releases that were read (0.8.5 to 0.33.0): its rules are unverified",
        "* sglang 0.6.0 is none of the releases that were read (0.4.6.post5 to 0.5.23): its rules are unverified",
    ]
    assert footnotes([at("sglang", "0.5.23"), at("vllm", "0.28.1rc1.dev380+g25268f0c9")]) == []


def test_a_baseline_that_nobody_selected_says_why_it_is_there() -> None:
    baseline, draft = planned(cell("baseline")), planned(cell("eagle"))
    added = "the baseline of what was selected"
    assert (remark(baseline, ["eagle*"]), remark(draft, ["eagle*"])) == (added, "")
    assert remark(replace(baseline, known="r1"), ["spec=eagle"]) == f"{added}; run r1"
    assert remark(baseline, []) == remark(baseline, ["baseline", "eagle"]) == ""
    assert remark(replace(draft, unsupported="too old"), []) == "too old"


def test_one_is_written_without_an_s(tmp_path: Path) -> None:
    file = tmp_path / "matrix.toml"
    file.write_text(MINIMAL)
    one = Plan(Source(file), "venv", (planned(cell()),), (), Estimate(60, 1.6, 1, False))
    assert summary(one).startswith("1 cell by venv, 0 measured, 1 to do, about 1:00 and 1.6 GiB for 1 build (")
    two = replace(one, cells=one.cells * 2, estimate=replace(one.estimate, builds=2))
    assert "2 cells by venv" in summary(two) and "for 2 builds" in summary(two)
    none = replace(one, estimate=replace(one.estimate, builds=0, disk_gib=0.0))
    assert "about 1:00 (from" in summary(none), "nothing is said of builds where there are none"
