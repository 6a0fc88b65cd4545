"""One sweep over every dialect of both engines: the same scripted acceptance is the same accept length in all."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import ONCE, Place, model
from tests.fakes import sglang_rows, vllm_rows
from tests.fakes.embed import site
from tests.fakes.rows import key

SGLANG = ["0.4.6.post5", "0.5.1", "0.5.2", "0.5.3", "0.5.3.post3", "0.5.5.post3", "0.5.6", "0.5.9", "0.5.11", "0.5.12"]
SGLANG += ["0.5.13", "0.5.20", "0.5.23"]
VLLM = ["0.8.5", "0.9.0.1", "0.9.2", "0.10.0", "0.10.2", "0.11.0", "0.12.0", "0.14.1", "0.17.1", "0.20.2", "0.25.1"]
VLLM += ["0.28.0", "0.29.0", "0.33.0"]
"""A release for each change of its dialect. All that the fakes speak are measured one by one in `tests/probes`."""
pytestmark = pytest.mark.timeout(1800)
RELEASES = {"sglang": SGLANG, "vllm": VLLM}
V0 = ["0.8.5"]
"""Swept a second time with vLLM's V0 engine, which the environment asks for."""
SCRIPT: dict[str, Any] = {
    "acceptance": [0.7, 0.45, 0.25],
    "v0_interval_s": 0.2,
    "by_method": {"eagle": {"acceptance": [0.0, 0.0, 0.0]}, "ngram": {"draftless": 0.6}},
}
OUTCOMES = ("ok", "unsupported")
TABLE = """
[engines.{name}]
engine = "{engine}"
install = "site"
site = "{site}"
versions = ["{version}"]
env = {env}
flags = {flags}
"""
REST = """
[targets.tiny]
path = "models/target"

[drafts.head]
path = "models/head"

[specs.healthy]
method = "eagle3"
draft = "head"
k = 3

[specs.broken]
method = "eagle"
draft = "head"
k = 3

[specs.lookup]
method = "ngram"
k = 3

[specs.small]
method = "draft_model"
draft = "head"
k = 3

[workloads.short]
limit = 8
max_tokens = 256
"""


def table(root: Path, engine: str, version: str, *flags: str, **env: str) -> str:
    """The part of `matrix.toml` for one release, installed in a folder of its own."""
    name = "-".join([engine, version.replace(".", "_"), *env.values()])
    folder = site(root / "sites" / name, engine, version)
    variables = {"FAKE_ENGINE_SCRIPT": json.dumps(SCRIPT | {"distribution": engine}), **env}
    listed = ", ".join(f"{variable} = {json.dumps(value)}" for variable, value in variables.items())
    return TABLE.format(
        name=name, engine=engine, site=folder, version=version, env=f"{{ {listed} }}", flags=list(flags)
    )


def sweep(root: Path, tables: list[str], *select: str) -> list[dict[str, Any]]:
    """The results of one sweep over these tables."""
    here = Place(root / "project", root / "wheels")
    model(here.folder / "models" / "target")
    model(here.folder / "models" / "head", b"head")
    here.write('executor = "venv"\n' + "".join(tables) + REST + ONCE)
    done = here.run("sweep", *select, timeout=1500)
    assert done.stdout + done.stderr and done.returncode in (0, 1, 4), done.stderr
    return here.lines("results")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    root = tmp_path_factory.mktemp("dialects")
    tables = [table(root, engine, version) for engine, versions in RELEASES.items() for version in versions]
    return sweep(root, tables + [table(root, "vllm", version, VLLM_USE_V1="0") for version in V0])


def of(rows: list[dict[str, Any]], method: str) -> dict[str, dict[str, Any]]:
    """Engine, release and the environment's engine -> the row of `method`."""
    found = [row for row in rows if row["method"] == method]
    return {f"{r['engine']} {r['revision']}{' V0' if 'VLLM_USE_V1=0' in r['launch'] else ''}": r for r in found}


def lengths(rows: list[dict[str, Any]], method: str) -> dict[str, float]:
    return {name: row["accept_length"] for name, row in of(rows, method).items() if row["outcome"] == "ok"}


def lacking(rows: list[dict[str, Any]], method: str) -> set[str]:
    return {name for name, row in of(rows, method).items() if row["outcome"] == "unsupported"}


def names(*spans: tuple[str, str | None, str | None]) -> set[str]:
    """The dialects between two releases of an engine, both included."""
    return {
        f"{engine} {release}"
        for engine, first, last in spans
        for release in RELEASES[engine]
        if (first is None or key(release) >= key(first)) and (last is None or key(release) <= key(last))
    }


EVERY = names(("sglang", None, None), ("vllm", None, None)) | {f"vllm {version} V0" for version in V0}


def test_every_dialect_takes_our_command_line_and_serves(rows: list[dict[str, Any]]) -> None:
    """A flag that a release does not know ends its fake with status 2, and the cell would be no `ok`."""
    failed = [(r["engine"], r["revision"], r["method"], r["reason"]) for r in rows if r["outcome"] not in OUTCOMES]
    assert failed == []
    assert [row["reason"] for row in rows if "log tells" in row["reason"]] == []
    assert len(set(SGLANG) & set(sglang_rows.RELEASES)) >= 12 and len(set(VLLM) & set(vllm_rows.RELEASES)) >= 12


def test_the_same_acceptance_is_the_same_length_in_every_dialect(rows: list[dict[str, Any]]) -> None:
    found = lengths(rows, "eagle3")
    assert set(found) == EVERY
    assert found["vllm 0.33.0"] == pytest.approx(1 + sum(SCRIPT["acceptance"]), rel=0.03)
    assert found == pytest.approx(dict.fromkeys(found, found["vllm 0.33.0"]), rel=0.01)


def test_a_broken_head_is_exactly_one_in_every_dialect(rows: list[dict[str, Any]]) -> None:
    assert lengths(rows, "eagle") == dict.fromkeys(EVERY, 1.0)


def test_a_baseline_has_no_length_in_any_dialect(rows: list[dict[str, Any]]) -> None:
    assert lengths(rows, "none") == dict.fromkeys(EVERY)


def test_steps_without_a_draft_count_in_every_dialect(rows: list[dict[str, Any]]) -> None:
    """Three of five steps find nothing to propose; counters of drafts alone would read as long as the healthy head's."""
    found = lengths(rows, "ngram")
    # The V0 engine counts no step without a draft anywhere: nothing is told rather than too much.
    assert lacking(rows, "ngram") == names(("sglang", None, "0.5.2")) | {f"vllm {version} V0" for version in V0}
    assert set(found) == names(("sglang", "0.5.3", None), ("vllm", None, None))
    assert 1.3 < found["vllm 0.33.0"] < 1.7
    assert found == pytest.approx(dict.fromkeys(found, found["vllm 0.33.0"]), rel=0.01)


def test_small_models_draft_where_the_release_lets_them(rows: list[dict[str, Any]]) -> None:
    found = lengths(rows, "draft_model")
    assert lacking(rows, "draft_model") == names(("sglang", None, "0.5.1"), ("vllm", "0.10.0", "0.14.1"))
    assert set(found) == EVERY - lacking(rows, "draft_model")
    assert found == pytest.approx(dict.fromkeys(found, found["vllm 0.33.0"]), rel=0.01)
    reasons = {row["reason"] for row in of(rows, "draft_model").values() if row["outcome"] == "unsupported"}
    assert all("0.5.2" in reason or "0.15" in reason for reason in reasons)


def test_a_flag_that_a_release_lacks_is_named(tmp_path: Path) -> None:
    tables = [table(tmp_path, "vllm", "0.17.1", "--disable-log-requests")]
    tables += [table(tmp_path, "sglang", "0.5.20", "--no-such-flag")]
    refused = of(sweep(tmp_path, tables, "spec=healthy"), "eagle3")
    assert {row["outcome"] for row in refused.values()} == {"config-error"}
    assert "--disable-log-requests" in refused["vllm 0.17.1"]["reason"]
    assert "--no-such-flag" in refused["sglang 0.5.20"]["reason"]
