"""Files of reports, SpecForge's results, and the figures and matrix files that come with the program."""

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from matrix.core.about import About
from matrix.core.errors import ConfigError
from matrix.core.expectation import Bonus
from matrix.core.report import Report
from matrix.core.state import State
from matrix.plan.parse import parse_config
from matrix.plan.reports import parse_reports, reports_schema
from matrix.plan.specforge import COLLAPSED, is_specforge, parse_specforge
from matrix.stats.settings import DEFAULTS

ROOT = Path(__file__).parents[2]
ONE = """
[[reports]]
target = "org/model"
engine = "sglang"
state = "healthy"
link = "https://example.org/1"
date = 2026-01-02
"""
ABOUT = About("https://example.org/2", "2026-02-03", target="org/model")


def test_what_is_not_stated_is_unknown() -> None:
    (report,) = parse_reports(ONE, "r.toml")
    assert report == Report("org/model", "sglang", State.HEALTHY, "https://example.org/1", "2026-01-02")
    assert report.value is None and report.bonus is Bonus.UNKNOWN and report.versions == ""


def test_equal_reports_have_equal_keys_and_others_others() -> None:
    (one,), (other,) = parse_reports(ONE, "a"), parse_reports(ONE + "k = 3\n", "b")
    assert one.key == parse_reports("# new\n" + ONE, "c")[0].key != other.key


@pytest.mark.parametrize(
    ("line", "key", "words"),
    [
        ('versions = "newest"', "reports.0.versions", "neither a version"),
        ("value = nan", "reports.0.value", "finite"),
        ("value = -1.0", "reports.0.value", "greater than 0"),
        ('colour = "red"', "reports.0.colour", "Extra inputs"),
        ('method = "magic"', "reports.0.method", "eagle3"),
        ("k = 0", "reports.0.k", "greater than or equal to 1"),
    ],
)
def test_a_fault_names_file_line_and_key(line: str, key: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_reports(ONE + line, "r.toml")
    assert str(caught.value).startswith(f"r.toml:8: {key}: ") and words in str(caught.value)


@pytest.mark.parametrize("text", ["", "reports = []", "x = 1", "[[reports]]\n", "not toml ["])
def test_what_is_no_file_of_reports_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"r\.toml"):
        parse_reports(text, "r.toml")


def test_link_and_date_are_required() -> None:
    for line in ('link = "https://example.org/1"', "date = 2026-01-02"):
        with pytest.raises(ConfigError):
            parse_reports(ONE.replace(line, ""), "r.toml")
    assert parse_reports(ONE.replace("2026-01-02", '"unknown"'), "r.toml")[0].date == "unknown"


def test_the_schema_describes_every_key_that_has_a_rule() -> None:
    keys = reports_schema()["$defs"]["ReportTable"]["properties"]
    assert set(keys) == set(Report.__dataclass_fields__)


def entry(steps: int | None, *rows: tuple[float, float], size: int = 80) -> dict[str, Any]:
    metrics = [{"accept_length": a, "output_throughput": t, "num_questions": size} for a, t in rows]
    return {"batch_size": 1, "steps": steps, "topk": 1, "num_draft_tokens": 4, "metrics": metrics, "num_samples": size}


def specforge(**benchmarks: Any) -> list[Report]:
    text = json.dumps({"model": "org/head"} | benchmarks)
    assert is_specforge(text)
    return parse_specforge(text, "r.jsonl", ABOUT)


def test_specforge_results_are_reports_with_speed_ups_over_their_baseline() -> None:
    (report,) = specforge(mtbench=[entry(0, (1.0, 100.0)), entry(3, (2.0, 160.0), (3.0, 160.0))])
    assert (report.value, report.speedup, report.k, report.bonus) == (2.5, 1.6, 3, Bonus.YES)
    assert (report.draft, report.target, report.state) == ("org/head", "org/model", State.HEALTHY)
    assert (report.link, report.date) == (ABOUT.link, ABOUT.date) and "mtbench, 80 questions" in report.workload


def test_one_exactly_is_not_a_measurement() -> None:
    (silent,), (low,) = specforge(a=[entry(3, (1.0, 90.0))]), specforge(a=[entry(3, (1.04, 90.0))])
    assert (silent.value, silent.state) == (None, State.UNKNOWN)
    assert (low.value, low.state, low.speedup) == (1.04, State.COLLAPSED, None)
    assert DEFAULTS.collapsed == COLLAPSED


def test_specforge_needs_the_target_and_a_draft() -> None:
    text = json.dumps({"model": "org/head", "mtbench": [entry(3, (2.0, 1.0))]})
    with pytest.raises(ConfigError, match="--target"):
        parse_specforge(text, "r.jsonl", About("l", "d"))
    with pytest.raises(ConfigError, match="baselines only"):
        specforge(mtbench=[entry(0, (1.0, 1.0))])
    assert not is_specforge("[1, 2]") and not is_specforge('{"a": 1}') and not is_specforge("{")


def test_the_fields_figures_are_as_they_were_published() -> None:
    found = parse_reports((ROOT / "reports" / "field.toml").read_text(), "field.toml")
    assert len({report.key for report in found}) == len(found) == 20
    vision = {(r.versions, r.state.value, r.value) for r in found if "2.5-VL-7B" in r.target and r.engine == "sglang"}
    assert {("0.5.4", "healthy", 2.195), ("0.5.5.post3", "collapsed", 1.0), ("", "collapsed", 1.037)} < vision
    assert [r.speedup for r in found if r.topk == 10] == [1.68, 1.52, 2.04]
    assert {(r.workload, r.k): r.value for r in found if "Qwen3-VL" in r.target}["GSM8K", 8] == 1.88


@pytest.mark.parametrize("path", sorted((ROOT / "sweeps").glob("*.toml")), ids=lambda p: p.stem)
def test_the_matrix_files_that_come_along_can_be_planned(path: Path) -> None:
    config = parse_config(path.read_text(), path.name)
    assert {engine.engine or name for name, engine in config.engines.items()} == {"sglang", "vllm"}
    assert all(draft.expectations for draft in config.drafts.values())
    for name, spec in config.specs.items():
        taken = {
            engine.engine or n for n, engine in config.engines.items() if any(fnmatchcase(n, p) for p in spec.engines)
        }
        assert taken == ({"sglang"} if spec.topk else {"sglang", "vllm"}), name
