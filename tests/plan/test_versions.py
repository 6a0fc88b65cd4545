"""What a line of `versions` means."""

import pytest

from matrix.plan.history import revision_order
from matrix.plan.versions import check_version_spec, resolve, spelled

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


@pytest.mark.parametrize("text", ["", "latest:-1", "newest", "1.0.x", ">>1", "latest:two"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no version"):
        check_version_spec(text)


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
