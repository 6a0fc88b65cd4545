"""Revisions: how a commit is spelled, and what a spelling says."""

import pytest
from packaging.version import Version

from matrix.core.revision import Revision, RevisionKind, commit_version, kind_of

SHA = "25268f0c9" + "0" * 31


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("0.32.0", RevisionKind.RELEASE),
        ("0.5.15.post1", RevisionKind.RELEASE),
        ("0.30.0rc1", RevisionKind.RELEASE),
        ("0.20.0+cu129", RevisionKind.RELEASE),
        ("main", RevisionKind.RELEASE),
        ("0.28.1rc1.dev380+g25268f0c9", RevisionKind.NIGHTLY),
        ("0.5.10.dev20260215+g4cf4f0859", RevisionKind.NIGHTLY),
        ("0.5.6.post3.dev1278+gad1b4e472", RevisionKind.NIGHTLY),
        ("0.5.9+12.g4cf4f0859", RevisionKind.COMMIT),
    ],
)
def test_a_spelling_tells_its_kind(version: str, kind: RevisionKind) -> None:
    assert kind_of(version) is kind


def test_commits_stand_between_their_releases_in_their_own_order() -> None:
    commits = [commit_version("0.5.9", distance, SHA) for distance in (2, 10, 100)]
    line = ["0.5.8", "0.5.9", *commits, "0.5.9.post1", "0.5.10"]
    shuffled = line[::-1]
    assert sorted(shuffled, key=Version) == line
    assert Revision("sglang", commits[1], RevisionKind.COMMIT, SHA).base == "0.5.9"
    assert commits[1] == "0.5.9+10.g25268f0c9"
