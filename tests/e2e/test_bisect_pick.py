"""A range that another fault makes untestable: a fix carried over onto each commit opens it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.kit import Place, place, toml
from tests.fakes.embed import vllm_files
from tests.fakes.history import History

COUNT, BREAKS, CULPRIT, MENDS = 9, 3, 5, 8
SERVER = "vllm/entrypoints/openai/api_server.py"
CELL = ("--engine", "vllm", "--target", "tiny", "--draft", "head", "--regress", "accept")


def files(number: int) -> dict[str, str]:
    """The package at one commit: from BREAKS until MENDS it cannot start, from CULPRIT on no draft is accepted."""
    more: dict[str, Any] = {"acceptance": [0.0, 0.0, 0.0]} if number >= CULPRIT else {}
    server = [
        "import json, os, sys, vllm.gate",
        f"NUMBER = {number}",
        "body = json.loads(os.environ.get('FAKE_ENGINE_SCRIPT') or '{}')",
        f"os.environ['FAKE_ENGINE_SCRIPT'] = json.dumps(body | json.loads({json.dumps(json.dumps(more))}))",
        "from vllm.fakes.engine import main",
        "sys.exit(main())",
    ]
    gate = "raise RuntimeError('closed')" if BREAKS <= number < MENDS else "OPEN = True"
    return vllm_files() | {SERVER: "\n".join(server) + "\n", "vllm/gate.py": f"{gate}\n"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, list[str]]:
    root = tmp_path_factory.mktemp("pick")
    here, history = place(root, "1.0.0"), History(root / "engine")
    history.commit(vllm_files(), "release 1.0.0")
    history.git("tag", "v1.0.0")
    commits = []
    for number in range(1, COUNT + 1):
        if number == MENDS:
            # The repair alone, so that it can be carried over without what else a change would bring.
            history.commit(files(MENDS - 1) | {"vllm/gate.py": "OPEN = True\n"}, "mend it")
            commits.append(history.git("rev-parse", "HEAD").strip())
        commits.append(history.commit(files(number), f"change {number}"))
    here.write(toml(versions='"1.0.0"').replace("[engines.vllm]", f'[engines.vllm]\nclone = "{history.folder}"'))
    return here, commits


def search(made: tuple[Place, list[str]], db: Path, *more: str) -> dict[str, Any]:
    here, commits = made
    ends = ("--good", "1.0.0", "--bad", commits[-1])
    done = here.run("bisect", "run", *CELL, *ends, "--yes", "--json", "--db", f"sqlite:///{db}", *more)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_without_the_fix_there_is_a_range_and_with_it_a_culprit(made: tuple[Place, list[str]], tmp_path: Path) -> None:
    commits = made[1]
    culprit, fix = commits[CULPRIT - 1], commits[MENDS - 1]
    closed = search(made, tmp_path / "closed.db")
    assert closed["culprit"] is None
    opened = search(made, tmp_path / "opened.db", "--cherry-pick", fix[:12])
    assert opened["culprit"] == culprit
    assert f"--cherry-pick {fix[:12]}" in opened["resume"]
    assert "skip" not in {a["said"] for a in opened["answers"]}


def test_a_fix_that_is_not_there_is_one_clear_line(made: tuple[Place, list[str]], tmp_path: Path) -> None:
    here, commits = made
    ends = ("--good", "1.0.0", "--bad", commits[-1], "--cherry-pick", "feedfeedfeed")
    done = here.run("bisect", "run", *CELL, *ends, "--yes", "--db", f"sqlite:///{tmp_path}/x.db")
    assert done.returncode == 2
    assert "holds no single commit `feedfeedfeed`" in done.stderr
