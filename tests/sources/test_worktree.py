"""A working tree of our own: exactly one commit's files, and a user's clone that stays as it is."""

from pathlib import Path

import pytest

from matrix.core.errors import ConfigError
from matrix.sources.git import Repository
from matrix.sources.worktree import Worktree
from tests.fakes.history import History


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "clone")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".git"}


def test_each_commit_has_its_files_and_nothing_that_was_left(history: History, tmp_path: Path) -> None:
    first, second = history.commit({"a": "1", ".gitignore": "built"}), history.commit({"a": "2", "b": "2"})
    tree = Worktree(Repository(history.folder), tmp_path / "deep" / "tree")
    tree.check_out(first)
    (tree.folder / "built").write_text("left over")
    (tree.folder / "a").write_text("changed")
    tree.check_out(second)
    assert names(tree.folder) == {"a", "b"}
    assert (tree.folder / "a").read_text() == "2"


def test_the_clone_is_left_as_it_is(history: History, tmp_path: Path) -> None:
    first = history.commit({"a": "1"})
    head = history.commit({"a": "2"})
    (history.folder / "a").write_text("mine")
    hook = history.folder / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n")
    hook.chmod(0o755)
    tree = Worktree(Repository(history.folder), tmp_path / "tree")
    tree.check_out(first)
    tree.remove()
    assert (history.folder / "a").read_text() == "mine"
    assert history.git("rev-parse", "HEAD").strip() == head
    assert history.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert len(history.git("worktree", "list").splitlines()) == 1
    assert not (tmp_path / "hook-ran").exists()


def test_what_a_killed_process_left_is_taken_over(history: History, tmp_path: Path) -> None:
    first = history.commit({"a": "1"})
    tree = Worktree(Repository(history.folder), tmp_path / "tree")
    tree.folder.mkdir()
    (tree.folder / "half").write_text("")
    tree.check_out(first)
    Worktree(tree.repo, tree.folder).check_out(first)
    assert names(tree.folder) == {"a"}


def test_a_missing_object_is_said_in_gits_words(history: History, tmp_path: Path) -> None:
    first = history.commit({"a": "1"})
    blob = history.git("rev-parse", f"{first}:a").strip()
    (history.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(ConfigError, match="git worktree failed in .*clone.*: .*" + blob):
        Worktree(Repository(history.folder), tmp_path / "tree").check_out(first)
