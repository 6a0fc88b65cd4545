"""Commits between two ends of real repositories."""

import subprocess
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError
from matrix.sources.commits import between, contains, releases_of, trees
from matrix.sources.git import Repository, nearest_release, uncommitted, whole_hash


class Repo:
    """A repository made commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = Repository(folder)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(self.folder), *identity, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def commit(self, path: str, text: str) -> str:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", f"write {path}: {text}")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def test_commits_come_oldest_first_with_their_files(repo: Repo) -> None:
    first = repo.commit("pkg/a.py", "1")
    second = repo.commit("pkg/ü b.py", "2")
    third = repo.commit("docs/c.md", "3")
    found = between(repo.repository, first, third)
    assert [c.hash for c in found.commits] == [second, third]
    assert found.good == first
    assert found.asked == ""
    assert [c.files for c in found.commits] == [("pkg/ü b.py",), ("docs/c.md",)]
    assert found.commits[1].subject == "write docs/c.md: 3"
    assert found.commits[1].parents == (second,)
    assert found.commits[0].date.startswith("20")
    assert found.outside == {first}


def test_a_release_branch_starts_from_the_merge_base(repo: Repo) -> None:
    base = repo.commit("a", "1")
    repo.git("checkout", "-q", "-b", "release")
    release = repo.commit("a", "release")
    repo.git("checkout", "-q", "main")
    later = repo.commit("b", "2")
    found = between(repo.repository, release, later)
    assert (found.good, found.asked) == (base, release)
    assert [c.hash for c in found.commits] == [later]


def test_a_merge_brings_the_commits_of_both_sides(repo: Repo) -> None:
    base = repo.commit("a", "1")
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("b", "side")
    repo.git("checkout", "-q", "main")
    main = repo.commit("c", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = repo.git("rev-parse", "HEAD")
    found = between(repo.repository, base, merge)
    assert {c.hash for c in found.commits} == {side, main, merge}
    assert set(found.commits[-1].parents) == {side, main}
    assert found.commits[-1].files == ()
    assert contains(repo.repository, ["side", "main"], main) == ["main"]


def test_ends_that_make_no_range_are_refused(repo: Repo) -> None:
    first, second = repo.commit("a", "1"), repo.commit("a", "2")
    repo.git("checkout", "-q", "--orphan", "other")
    alien = repo.commit("z", "1")
    with pytest.raises(ConfigError, match="both ends are"):
        between(repo.repository, first, first)
    with pytest.raises(ConfigError, match=r"older than the good end .*swap them"):
        between(repo.repository, second, first)
    with pytest.raises(ConfigError, match="no commit in common"):
        between(repo.repository, first, alien)
    with pytest.raises(ConfigError, match=r"holds no single commit"):
        whole_hash(repo.repository, "0123456789")


def test_equal_trees_have_equal_hashes(repo: Repo) -> None:
    first = repo.commit("pkg/a.py", "1")
    second = repo.commit("docs/a.md", "2")
    third = repo.commit("pkg/a.py", "3")
    found = trees(repo.repository, [first, second, third], "pkg")
    assert found[first] == found[second] != found[third]
    assert trees(repo.repository, [first], "elsewhere") == {}


def test_each_commit_follows_the_release_that_git_describes(repo: Repo) -> None:
    first = repo.commit("a", "1")
    repo.git("tag", "v0.5.9")
    repo.commit("a", "2")
    repo.git("tag", "-a", "-m", "note", "v0.5.10")
    repo.commit("a", "3")
    repo.git("tag", "v0.5.11rc1")
    last = repo.commit("a", "4")
    found = between(repo.repository, first, last)
    places = releases_of(repo.repository, first, found.commits)
    assert places[first] == ("0.5.9", 0)
    for commit in found.commits:
        assert places[commit.hash] == nearest_release(repo.repository, commit.hash)


def test_a_history_that_was_cut_off_is_said_to_be(repo: Repo, tmp_path: Path) -> None:
    first, *_, last = [repo.commit("a", str(i)) for i in range(5)]
    cut = tmp_path / "cut"
    repo.git("clone", "--quiet", "--depth", "2", f"file://{repo.folder}", str(cut))
    shallow = Repository(cut)
    with pytest.raises(ConfigError, match=r"holds no single commit .*git fetch --unshallow"):
        whole_hash(shallow, first)
    repo.git("-C", str(cut), "fetch", "--quiet", "--depth", "1", "origin", first)
    with pytest.raises(ConfigError, match=r"no commit in common: the clone is shallow .*--unshallow"):
        between(shallow, first, last)


def test_changes_that_no_commit_holds_are_noticed(repo: Repo) -> None:
    repo.commit("a", "1")
    (repo.folder / "new").write_text("no file of the repository")
    assert not uncommitted(repo.repository)
    (repo.folder / "a").write_text("2")
    assert uncommitted(repo.repository)
