"""What a line of `versions` means."""

import pytest

from matrix.core.revision import Revision, RevisionKind
from matrix.plan.history import one_each, revision_order
from matrix.plan.versions import check_version_spec, commit_hash, is_published, nightly_day, resolve, spelled

INDEX = ["0.9.0", "0.10.0", "0.10.1rc1", "0.11.0", "1.0.0rc1"]


def never() -> list[str]:
    raise AssertionError("the index was asked for an exact version")


def test_exact_versions_need_no_index() -> None:
    assert resolve(["0.32.0", "0.27.1"], never) == ["0.27.1", "0.32.0"]


def test_latest_counts_releases_only() -> None:
    assert resolve(["latest:2"], lambda: INDEX) == ["0.10.0", "0.11.0"]
    assert resolve(["latest"], lambda: INDEX) == ["0.11.0"]


def test_ranges_follow_pep_440_and_merge() -> None:
    assert resolve([">=0.10,<1", "0.9.0", "0.11.0"], lambda: INDEX) == ["0.9.0", "0.10.0", "0.11.0"]


def test_a_range_that_matches_nothing_is_named() -> None:
    with pytest.raises(ValueError, match=">=9"):
        resolve([">=9"], lambda: INDEX)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "latest:-1",
        "newest",
        "1.0.x",
        ">>1",
        "latest:two",
        "nightly:",
        "nightly:today",
        "commit:12345",
        "commit:xyz1234",
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no version"):
        check_version_spec(text)


@pytest.mark.parametrize(
    ("text", "day", "commit"),
    [
        ("nightly:2026-11-20", "2026-11-20", None),
        ("nightly:latest", "latest", None),
        ("commit:25268F0c9", None, "25268f0c9"),
        ("0.28.1rc1.dev380+g25268f0c9", None, None),
        ("0.5.10.dev20260215+g4cf4f0859", None, None),
        (">=0.30", None, None),
    ],
)
def test_nightlies_and_commits_are_told_from_what_an_index_answers(
    text: str, day: str | None, commit: str | None
) -> None:
    assert check_version_spec(text) == text
    assert (nightly_day(text), commit_hash(text)) == (day, commit)
    assert is_published(text) is (day is None and commit is None)


def test_two_spellings_of_one_revision_are_one() -> None:
    nightly = Revision("vllm", "0.28.1rc1.dev380+g25268f0c9", RevisionKind.NIGHTLY)
    commit = Revision("vllm", nightly.version, RevisionKind.COMMIT, "25268f0c9" + "1" * 31)
    release, newer = Revision("vllm", "0.28.0"), Revision("vllm", "0.29.0")
    assert one_each([newer, commit, nightly, release, release]) == [release, commit, newer]
    assert one_each([nightly, commit]) == one_each([commit, nightly]) == [commit]


def test_revisions_sort_by_version_and_the_unreadable_come_last() -> None:
    assert sorted(["main", "0.10.0", "0.9.0"], key=revision_order) == ["0.9.0", "0.10.0", "main"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1.0", "1.0.0"),
        ("v1.0.0", "1.0.0"),
        (" 1.0.0.0 ", "1.0.0"),
        ("1.0.0.1", "1.0.0.1"),
        ("0.11", "0.11.0"),
        ("1.0.0-RC1", "1.0.0rc1"),
        ("1.0.post2", "1.0.0.post2"),
        ("1.0+CPU", "1.0.0+cpu"),
        ("1!1", "1!1.0.0"),
        ("0.5.9.post1.dev3+g12", "0.5.9.post1.dev3+g12"),
    ],
)
def test_a_version_has_one_spelling(text: str, name: str) -> None:
    assert spelled(text) == name
    assert spelled(name) == name


def test_one_release_written_twice_is_one_revision() -> None:
    assert resolve(["1.0", "1.0.0", "v1"], never) == ["1.0.0"]
    assert resolve([">=0.10,<0.11", "0.10"], lambda: ["0.10"]) == ["0.10.0"]
