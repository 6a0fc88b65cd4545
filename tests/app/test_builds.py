"""Nightlies and commits as revisions: found on the project's indexes (folders here) and in its repository."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from matrix.app.builds import Builds
from matrix.core.errors import ConfigError, InfraError
from matrix.core.index import IndexSettings
from matrix.core.revision import Revision, RevisionKind
from matrix.engines import sglang_recipe_rows, vllm_recipe_rows
from matrix.engines.quirks import Quirk
from tests.fakes import history
from tests.fakes.history import History

NIGHTLIES = ("0.5.10.dev20260214+g1111111aa", "0.5.10.dev20260215+g4cf4f0859", "0.5.6.post3.dev1278+gad1b4e472")


@pytest.fixture(autouse=True)
def indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The projects' indexes, moved to folders below the one returned."""
    folder = tmp_path / "indexes"

    def rows(*pairs: tuple[str, str]) -> tuple[Quirk, ...]:
        return tuple(Quirk(topic, None, None, f"{folder}/{name}", "", "") for topic, name in pairs)

    monkeypatch.setattr(vllm_recipe_rows, "INDEXES", rows(("commit", "{commit}"), ("nightly", "vllm")))
    monkeypatch.setattr(sglang_recipe_rows, "INDEXES", rows(("nightly", "cu130"), ("nightly", "cu129")))
    for name in ("vllm", "cu130", "cu129"):
        publish(folder / name, "other", [])
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "repo")
    made.commit({"a.py": "1"})
    made.git("tag", "v0.5.9")
    made.commit({"a.py": "2"})
    yield made


def publish(index: Path, project: str, versions: list[str], commit: str = "") -> None:
    page = index / project / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    names = [f"{project}-{version}-py3-none-any.whl" for version in versions]
    page.write_text("".join(f'<a href="../../{commit}/{quote(name)}">{name}</a>' for name in names))


def builds(engine: str, tmp_path: Path, clone: History | None = None) -> Builds:
    return Builds(engine, str(clone.folder) if clone else "", tmp_path / "cache", IndexSettings)


def test_the_newest_vllm_nightly_and_its_commit(indexes: Path, tmp_path: Path) -> None:
    commit = "25268f0c9" + "1" * 31
    publish(indexes / "vllm", "vllm", ["0.28.1rc1.dev9+g25268f0c9", "0.28.1rc1.dev10+g25268f0c9"], commit)
    found = builds("vllm", tmp_path).nightly("latest")
    assert found == Revision("vllm", "0.28.1rc1.dev10+g25268f0c9", RevisionKind.NIGHTLY, commit)


def test_a_commit_of_vllm_is_the_version_of_its_wheel(indexes: Path, tmp_path: Path, repo: History) -> None:
    commit = repo.git("rev-parse", "HEAD").strip()
    version = f"0.28.1rc1.dev3+g{commit[:9]}"
    publish(indexes / commit, "vllm", [version, "1.0.0.dev0"])
    expected = Revision("vllm", version, RevisionKind.COMMIT, commit)
    assert builds("vllm", tmp_path).commit(commit, RevisionKind.COMMIT) == expected
    assert builds("vllm", tmp_path, repo).commit(commit[:9], RevisionKind.COMMIT) == expected
    known = builds("vllm", tmp_path, repo).known(Revision("vllm", version, RevisionKind.NIGHTLY))
    assert (known.version, known.commit) == (version, commit)


def test_a_vllm_nightly_by_its_day_is_the_day_s_commit(
    indexes: Path, tmp_path: Path, repo: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(history._WHO, "DATE", "2026-11-20T12:00:00Z")
    commit = repo.commit({"a.py": "3"})
    publish(indexes / commit, "vllm", [f"0.33.1.dev3+g{commit[:9]}"])
    found = builds("vllm", tmp_path, repo).nightly("2026-11-21")
    assert (found.kind, found.commit) == (RevisionKind.NIGHTLY, commit)


def test_sglang_nightlies_by_day_and_the_newest(indexes: Path, tmp_path: Path) -> None:
    publish(indexes / "cu129", "sglang", list(NIGHTLIES))
    publish(indexes / "cu130", "sglang", ["0.5.12.dev20260510+g2222222aa", "0.5.11"])
    sglang = builds("sglang", tmp_path)
    assert sglang.nightly("2026-02-15") == Revision("sglang", NIGHTLIES[1], RevisionKind.NIGHTLY)
    assert sglang.nightly("latest").version == "0.5.12.dev20260510+g2222222aa"
    with pytest.raises(ConfigError, match=r"no nightly of 2026-02-16.*20260510"):
        sglang.nightly("2026-02-16")


def test_a_commit_of_sglang_is_counted_from_its_release(tmp_path: Path, repo: History) -> None:
    commit = repo.git("rev-parse", "HEAD").strip()
    sglang = builds("sglang", tmp_path, repo)
    expected = Revision("sglang", f"0.5.9+1.g{commit[:9]}", RevisionKind.COMMIT, commit)
    assert sglang.commit(commit[:7], RevisionKind.COMMIT) == expected
    tagged = repo.git("rev-parse", "v0.5.9").strip()
    assert sglang.commit(tagged, RevisionKind.COMMIT) == Revision("sglang", "0.5.9")


def test_a_commit_of_compiled_sglang_is_its_nightly_where_there_is_one(
    indexes: Path, tmp_path: Path, repo: History
) -> None:
    repo.git("tag", "v0.5.11")
    with_wheel, without = repo.commit({"a.py": "3"}), repo.commit({"a.py": "4"})
    version = f"0.5.12.dev20260510+g{with_wheel[:9]}"
    publish(indexes / "cu130", "sglang", [version])
    sglang = builds("sglang", tmp_path, repo)
    assert sglang.commit(with_wheel, RevisionKind.COMMIT).version == version
    assert sglang.commit(without, RevisionKind.COMMIT).version == f"0.5.11+2.g{without[:9]}"


def test_what_cannot_be_found_names_the_next_step(indexes: Path, tmp_path: Path) -> None:
    vllm = builds("vllm", tmp_path)
    with pytest.raises(ConfigError, match="give `clone`"):
        vllm.commit("1234567", RevisionKind.COMMIT)
    publish(indexes / ("1" * 40), "other", [])
    with pytest.raises(ConfigError, match="take a neighbour"):
        vllm.commit("1" * 40, RevisionKind.COMMIT)
    with pytest.raises(InfraError, match="cannot list the wheels"):
        vllm.commit("2" * 40, RevisionKind.COMMIT)
