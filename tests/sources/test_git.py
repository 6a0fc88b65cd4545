"""What a repository tells of commits, in a folder and behind a URL."""

from pathlib import Path

import pytest

from matrix.core.errors import ConfigError, InfraError
from matrix.sources import git
from tests.fakes import history
from tests.fakes.history import History


@pytest.fixture
def made(tmp_path: Path) -> History:
    """v0.5.8, one commit, v0.5.9, two commits; a release candidate's tag on the first of these."""
    made = History(tmp_path / "repo")
    for number, tag in enumerate(["v0.5.8", "", "v0.5.9", "v0.5.10rc1", ""]):
        made.commit({"a.py": str(number)})
        if tag:
            made.git("tag", tag)
    return made


@pytest.fixture(params=["folder", "url"])
def repo(request: pytest.FixtureRequest, made: History, tmp_path: Path) -> git.Repository:
    clone = str(made.folder) if request.param == "folder" else made.folder.as_uri()
    return git.repository(clone, tmp_path / "cache")


def at(made: History, name: str) -> str:
    return made.git("rev-parse", name).strip()


def test_a_commit_follows_a_release_not_a_candidate(repo: git.Repository, made: History) -> None:
    head = at(made, "HEAD")
    assert git.whole_hash(repo, head[:9]) == head
    assert git.nearest_release(repo, head) == ("0.5.9", 2)
    assert git.nearest_release(repo, at(made, "HEAD~3")) == ("0.5.8", 1)
    assert git.nearest_release(repo, at(made, "v0.5.9")) == ("0.5.9", 0)


def test_a_commit_that_is_not_there_is_named(repo: git.Repository) -> None:
    with pytest.raises(ConfigError, match="no single commit `1234567`"):
        git.whole_hash(repo, "1234567")


def test_a_url_is_asked_again_for_what_is_new(made: History, tmp_path: Path) -> None:
    repo = git.repository(made.folder.as_uri(), tmp_path / "cache")
    new = made.commit({"a.py": "new"})
    assert git.repository(made.folder.as_uri(), tmp_path / "cache") == repo
    assert git.whole_hash(repo, new[:8]) == new


def test_the_last_commit_of_a_day_on_the_main_branch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, commits = History(tmp_path / "repo"), {}
    for moment in ("2026-11-18T08:00:00Z", "2026-11-20T01:00:00Z", "2026-11-20T23:00:00Z", "2026-11-22T00:00:00Z"):
        monkeypatch.setitem(history._WHO, "DATE", moment)
        commits[moment] = made.commit({"a.py": moment})
    for clone in (str(made.folder), made.folder.as_uri()):
        repo = git.repository(clone, tmp_path / "cache")
        assert git.commit_of_day(repo, "2026-11-20") == commits["2026-11-20T23:00:00Z"]
        assert git.commit_of_day(repo, "2026-11-19") == commits["2026-11-18T08:00:00Z"]
        with pytest.raises(ConfigError, match="no commit on or before 2026-11-17"):
            git.commit_of_day(repo, "2026-11-17")


def test_without_a_release_tag_there_is_a_next_step(tmp_path: Path) -> None:
    made = History(tmp_path / "repo")
    commit = made.commit({"a.py": ""})
    with pytest.raises(ConfigError, match="git fetch --tags"):
        git.nearest_release(git.repository(str(made.folder), tmp_path), commit)


def test_what_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no git repository"):
        git.repository(str(tmp_path / "nothing"), tmp_path)
    with pytest.raises(InfraError, match="cannot fetch"):
        git.repository((tmp_path / "nothing").as_uri(), tmp_path / "cache")
    assert not list((tmp_path / "cache" / "repositories").glob("*"))


def test_an_address_that_fails_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=r"cannot fetch http://127\.0\.0\.1:1/a\.git: fatal") as caught:
        git.repository("http://me:hunter2hunter2@127.0.0.1:1/a.git", tmp_path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("clone", "url"),
    [
        ("https://example.org/a", True),
        ("git@example.org:a/b", True),
        ("/srv/a", False),
        ("a@b/c", False),
        ("~/a", False),
    ],
)
def test_urls_are_told_from_folders(clone: str, url: bool) -> None:
    assert git.is_url(clone) is url
