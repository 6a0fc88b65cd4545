"""A project over engines that are installed already, all of them scripted: one table of `matrix.toml` each."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matrix.store import open_store
from matrix.store.views import RunView
from tests.e2e.kit import ONCE, Place, model
from tests.fakes.embed import site

VLLM, SGLANG = ("vllm", "0.32.0"), ("sglang", "0.5.23")
BOTH = {"vllm": VLLM, "sglang": SGLANG}

_ENGINE = """
[engines.{name}]
engine = "{engine}"
install = "site"
site = "../{site}"
versions = ["{version}"]
env = {{ FAKE_ENGINE_SCRIPT = {script} }}
"""
_REST = """
[targets.tiny]
path = "models/target"

[drafts.head]
path = "models/head"

[specs.eagle3]
method = "eagle3"
draft = "head"
k = 3
"""


def project(
    root: Path,
    script: Mapping[str, Any],
    rest: str,
    engines: Mapping[str, tuple[str, str]] = BOTH,
    scripts: Mapping[str, Mapping[str, Any]] | None = None,
) -> Place:
    """The project's folder: `engines` by table name, each an engine with its version, all with the same script.

    `scripts` are more scripts by name: each makes another table of each engine, told apart by `case_of`.
    """
    here = Place(root / "project", root / "wheels")
    model(here.folder / "models" / "target")
    model(here.folder / "models" / "head", b"head")
    tables = []
    for name, (engine, version) in engines.items():
        site(root / name, engine, version)
        for case, more in (scripts or {"": {}}).items():
            body = json.dumps(json.dumps({"distribution": engine, "case": case} | dict(script) | dict(more)))
            table = f"{name}-{case}" if case else name
            tables.append(_ENGINE.format(name=table, site=name, engine=engine, version=version, script=body))
    here.write('executor = "venv"\n' + "".join(tables) + _REST + rest + ONCE)
    return here


def sweep(here: Place, *codes: int) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    """Sweep; the results by engine, revision, target and workload, baselines left out."""
    done = here.run("sweep")
    assert done.returncode in (codes or (0, 1)), done.stderr
    rows = [row for row in here.lines("results") if row["method"] != "none"]
    return {(r["engine"], r["revision"], r["target"], r["workload"]): r for r in rows}


def case_of(row: Mapping[str, Any]) -> str:
    """The name in `scripts` of the script that a result's engine ran with."""
    env = str(row["launch"]).partition("FAKE_ENGINE_SCRIPT=")[2]
    return str(json.JSONDecoder().raw_decode(env)[0]["case"])


def run_of(here: Place, row: Mapping[str, Any]) -> RunView:
    """All that is stored of a run."""
    store = open_store(f"sqlite:///{here.folder}/matrix.db")
    try:
        return store.read.run(row["run_id"])
    finally:
        store.close()


def states(here: Place, row: Mapping[str, Any]) -> dict[str, str]:
    """State of each metric of a run."""
    return {v.metric: v.state for v in run_of(here, row).verdicts}
