"""One commit's Python over an installed release: by the real uv and the real git, from a repository of our own."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from matrix.core.errors import BuildError, InfraError
from matrix.core.recipe import Overlay, Recipe
from matrix.executors.overlay_needs import unmet
from tests.executors.venv_kit import executor, recipe, script, until
from tests.fakes import wheels
from tests.fakes.history import History

BASE = {
    "stub_engine/__init__.py": "NAME = 'release'\n",
    "stub_engine/same.py": "X = 1\n",
    "stub_engine/gone.py": "",
    "stub_engine/old/__init__.py": "",
    "stub_engine/kernel.abi3.so": "compiled by the release",
    "stub_engine/tuned.so": "compiled, and in the commit too",
    "stub_engine/_version.py": "version = '1.0'\n",
    "stub_engine/table.json": "{}",
}
COMMIT = {
    "python/stub_engine/__init__.py": "NAME = 'commit'\n",
    "python/stub_engine/same.py": "X = 1\n",
    "python/stub_engine/new/deep.py": "Y = 2\n",
    "python/stub_engine/tuned.so": "of the commit",
    "README.md": "not of the package",
}


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def links(tmp_path: Path) -> Path:
    folder = tmp_path / "links"
    wheels.wheel(folder, "stub-engine", "1.0", BASE)
    return folder


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "clone")


def at(history: History, commit: str, **more: Any) -> Recipe:
    fields = {"url": str(history.folder), "commit": commit, "folder": "python/stub_engine", "package": "stub_engine"}
    return recipe("stub-engine==1.0", overlay=Overlay(**(fields | more)))


def package(ref: str) -> Path:
    (found,) = Path(ref).glob("lib/*/site-packages/stub_engine")
    return found


def files(folder: Path) -> dict[str, str]:
    found = [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"]
    return {str(p.relative_to(folder)): p.read_text() for p in found}


def contents(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def environments(root: Path) -> list[Path]:
    return [p for p in (root / "cache" / "envs").glob("*") if p.is_dir()]


def test_the_commits_files_replace_the_releases_and_compiled_ones_stay(
    tmp_path: Path, links: Path, history: History
) -> None:
    commit = history.commit(COMMIT)
    made = executor(tmp_path, links).build(at(history, commit), tmp_path / "log", print)
    assert files(package(made.ref)) == {
        "__init__.py": "NAME = 'commit'\n",
        "same.py": "X = 1\n",
        "new/deep.py": "Y = 2\n",
        "tuned.so": "of the commit",
        "kernel.abi3.so": "compiled by the release",
        "_version.py": "version = '1.0'\n",
    }
    said = subprocess.run(
        [f"{made.ref}/bin/python", "-c", "import stub_engine; print(stub_engine.NAME)"], capture_output=True, text=True
    )
    assert said.stdout == "commit\n"
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run([f"{made.ref}/bin/python", "-c", "import stub_engine.old"], check=True, stderr=subprocess.PIPE)


def test_lock_and_digest_follow_the_files_and_not_the_commit(tmp_path: Path, links: Path, history: History) -> None:
    first = history.commit(COMMIT)
    unrelated = history.commit(COMMIT | {"README.md": "changed"})
    other = history.commit(COMMIT | {"python/stub_engine/same.py": "X = 2\n"})
    ex = executor(tmp_path, links)
    one, same, third = (ex.build(at(history, c), tmp_path / "log", print) for c in (first, unrelated, other))
    tree = history.git("rev-parse", f"{first}:python/stub_engine").strip()
    assert one.lock == (f"overlay stub_engine tree {tree}", "stub-engine==1.0")
    assert one.digest == same.digest != third.digest
    assert len({one.ref, same.ref, third.ref}) == 3
    assert ex.build(at(history, first), tmp_path / "log", print).reused


def test_overlays_share_the_bases_files_and_never_change_them(tmp_path: Path, links: Path, history: History) -> None:
    ex, notes = executor(tmp_path, links), []
    base = ex.build(recipe("stub-engine==1.0"), tmp_path / "log", print)
    before = contents(Path(base.ref))
    commit = history.commit(COMMIT)
    made = ex.build(at(history, commit), tmp_path / "log", notes.append)
    assert contents(Path(base.ref)) == before
    assert package(made.ref).joinpath("same.py").samefile(package(base.ref) / "same.py")
    assert not package(made.ref).joinpath("__init__.py").samefile(package(base.ref) / "__init__.py")
    assert notes == [f"laying commit {commit[:12]} over stub-engine==1.0"], "the base was built before"


def test_dependencies_that_the_base_does_not_meet_are_said(tmp_path: Path, links: Path, history: History) -> None:
    needs = ["stub-engine>=1", "kernel-of-it==0.3.22", 'elsewhere==1; sys_platform == "none"', "stub-engine<1"]
    long = "# a comment\n" * 300
    commit = history.commit(
        COMMIT | {"python/pyproject.toml": f"{long}[project]\nname = 'x'\ndependencies = {needs!r}\n{long}"}
    )
    notes: list[str] = []
    made = executor(tmp_path, links).build(at(history, commit), tmp_path / "log", notes.append)
    expected = f"commit {commit[:12]} asks for kernel-of-it==0.3.22 (here none), stub-engine<1 (here 1.0)"
    assert made.notes == (expected,)
    assert notes[-1] == expected


@pytest.mark.parametrize("text", ["", "[project]\n", "[project]\ndependencies = 5\n", "not toml", "project = 1\n"])
def test_a_project_file_without_dependencies_asks_for_nothing(text: str) -> None:
    assert unmet(text, ("stub-engine==1.0",)) == []


def test_scripts_of_the_copy_start_the_copys_python(tmp_path: Path, links: Path, history: History) -> None:
    metadata = "[console_scripts]\nstub-say = stub_engine:say\n"
    init = "import sys\ndef say():\n    print(sys.prefix)\n"
    more = {"stub_engine/__init__.py": init, "stub_engine-2.0.dist-info/entry_points.txt": metadata}
    wheels.wheel(links, "stub-engine", "2.0", more)
    commit = history.commit({"python/stub_engine/__init__.py": init + "# changed\n"})
    wanted = replace(at(history, commit), requirements=("stub-engine==2.0",))
    made = executor(tmp_path, links).build(wanted, tmp_path / "log", print)
    said = subprocess.run([f"{made.ref}/bin/stub-say"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == made.ref


def test_a_remote_repository_is_fetched_commit_by_commit(tmp_path: Path, links: Path, history: History) -> None:
    first = history.commit(COMMIT)
    second = history.commit(COMMIT | {"python/stub_engine/same.py": "X = 3\n"})
    ex = executor(tmp_path, links)
    for commit, x in ((second, "X = 3\n"), (first, "X = 1\n")):
        made = ex.build(at(history, commit, url=history.folder.as_uri()), tmp_path / "log", print)
        assert files(package(made.ref))["same.py"] == x
    (bare,) = (tmp_path / "cache" / "git").glob("*.git")
    listed = subprocess.run(["git", "-C", bare, "for-each-ref"], capture_output=True, text=True, check=True).stdout
    assert listed.count("refs/overlays/") == 2


@pytest.mark.parametrize("remote", [False, True])
def test_commit_that_is_not_there(tmp_path: Path, links: Path, history: History, remote: bool) -> None:
    history.commit(COMMIT)
    url = history.folder.as_uri() if remote else str(history.folder)
    with pytest.raises(BuildError) as caught:
        executor(tmp_path, links).build(at(history, "0" * 40, url=url), tmp_path / "log", print)
    assert f"{url} has no commit {'0' * 40}" in str(caught.value)
    assert ("still has it" if remote else "fetch --all") in caught.value.hint


def test_folder_and_package_that_are_not_there(tmp_path: Path, links: Path, history: History) -> None:
    commit = history.commit(COMMIT)
    ex = executor(tmp_path, links)
    with pytest.raises(BuildError, match=rf"no folder 'srt' at commit {commit}"):
        ex.build(at(history, commit, folder="srt"), tmp_path / "log", print)
    with pytest.raises(BuildError, match="no package other is installed"):
        ex.build(at(history, commit, package="other"), tmp_path / "log", print)
    assert len(environments(tmp_path)) == 1, "only the base may be left"


def test_repository_that_does_not_answer_is_infra(tmp_path: Path, links: Path, history: History) -> None:
    with pytest.raises(InfraError, match="cannot get commit") as caught:
        url = "https://me:hunter2@127.0.0.1:9/x.git"
        executor(tmp_path, links).build(at(history, "1" * 40, url=url), tmp_path / "log", print)
    assert "hunter2" not in str(caught.value) + (tmp_path / "log").read_text()
    assert len(environments(tmp_path)) == 1


def test_killed_in_the_middle_it_counts_as_absent(tmp_path: Path, links: Path, history: History) -> None:
    commit = history.commit(COMMIT)
    wanted = at(history, commit)
    executor(tmp_path, links).build(recipe("stub-engine==1.0"), tmp_path / "log", print)
    body = f"""
from matrix.core.recipe import Overlay
from matrix.executors import venv_overlay
def stop(*args):
    Path({str(tmp_path / "here")!r}).touch()
    time.sleep(600)
venv_overlay.lay_over = stop
wanted = recipe("stub-engine==1.0", overlay={wanted.overlay!r})
executor(Path({str(tmp_path)!r}), Path({str(links)!r})).build(wanted, Path({str(tmp_path / "log")!r}), print)
"""
    owner = script(body)
    until((tmp_path / "here").exists)
    owner.kill()
    owner.wait()
    ex = executor(tmp_path, links)
    assert len(environments(tmp_path)) == 2
    assert not ex.built(wanted)
    made = ex.build(wanted, tmp_path / "log", print)
    assert not made.reused
    assert files(package(made.ref))["__init__.py"] == "NAME = 'commit'\n"


FILE = "python/stub_engine/__init__.py"


def numbered(name: str = "commit", bug: str = "broken", more: str = "") -> dict[str, str]:
    """Files of a commit whose module has its name far from its bug."""
    between = "\n".join(f"A{i} = {i}" for i in range(12))
    return COMMIT | {FILE: f"NAME = '{name}'\n{between}\nBUG = '{bug}'\n{more}"}


def module(built: Path) -> str:
    return next(built.rglob("site-packages/stub_engine/__init__.py")).read_text()


def test_a_fix_is_carried_over_onto_an_older_commit_and_the_clone_is_only_read(
    tmp_path: Path, links: Path, history: History
) -> None:
    old = history.commit(numbered("old"))
    history.commit(numbered("between"))
    fix = history.commit(numbered("between", bug="mended"))
    objects = sorted(p.name for p in (history.folder / ".git" / "objects").rglob("*") if p.is_file())
    ex = executor(tmp_path, links)
    plain = ex.build(at(history, old), tmp_path / "log", print)
    mended = ex.build(at(history, old, picks=(fix,)), tmp_path / "log", print)
    assert "NAME = 'old'" in module(Path(mended.ref))
    assert "BUG = 'mended'" in module(Path(mended.ref))
    assert "BUG = 'broken'" in module(Path(plain.ref))
    assert mended.digest != plain.digest
    assert sorted(p.name for p in (history.folder / ".git" / "objects").rglob("*") if p.is_file()) == objects


def test_a_fix_that_is_there_already_changes_nothing(tmp_path: Path, links: Path, history: History) -> None:
    history.commit(numbered())
    fix = history.commit(numbered(bug="mended"))
    newer = history.commit(numbered("newer", bug="mended again"))
    ex = executor(tmp_path, links)
    picked = ex.build(at(history, newer, picks=(fix,)), tmp_path / "log", print)
    assert "BUG = 'mended again'" in module(Path(picked.ref))
    assert picked.digest == ex.build(at(history, newer), tmp_path / "log", print).digest


def test_a_fix_that_conflicts_is_a_build_failure_that_names_it(tmp_path: Path, links: Path, history: History) -> None:
    old = history.commit(numbered(bug="quite another one"))
    history.commit(numbered())
    fix = history.commit(numbered(bug="mended"))
    with pytest.raises(BuildError, match=f"{fix[:12]} cannot be carried over onto {old[:12]}"):
        executor(tmp_path, links).build(at(history, old, picks=(fix,)), tmp_path / "log", print)


def test_a_fix_is_fetched_with_its_parent_from_a_remote(tmp_path: Path, links: Path, history: History) -> None:
    old = history.commit(numbered("old"))
    history.commit(numbered("between"))
    fix = history.commit(numbered("between", bug="mended"))
    history.git("config", "uploadpack.allowAnySHA1InWant", "true")
    asked = at(history, old, picks=(fix,), url=f"file://{history.folder}")
    built = executor(tmp_path, links).build(asked, tmp_path / "log", print)
    assert "NAME = 'old'" in module(Path(built.ref))
    assert "BUG = 'mended'" in module(Path(built.ref))


def test_a_pick_is_part_of_the_recipe(history: History) -> None:
    old = history.commit(numbered())
    assert at(history, old, picks=("a" * 40,)).hash != at(history, old).hash
