"""What a recipe may ask of the installer: pre-releases, a date, indexes of its own; and that it got what it asked for."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from matrix.core.errors import BuildError
from matrix.core.index import IndexSettings
from matrix.executors.installed import verify
from matrix.executors.venv import VenvExecutor
from tests.executors.venv_kit import executor, recipe
from tests.fakes.simple_index import simple_index
from tests.fakes.wheels import wheel

COMMIT = "25268f0c9" + "a" * 31
DEV = "1.1.dev3+g25268f0c9"


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def users_index(tmp_path: Path) -> Iterator[str]:
    """Newer releases of the engine than any commit's, and two of what it needs."""
    folder = tmp_path / "users"
    wheel(folder, "stub-engine", "1.0", requires=["stub-dep"])
    wheel(folder, "stub-engine", "2.0", requires=["stub-dep"])
    wheel(folder, "stub-dep", "0.1")
    wheel(folder, "stub-dep", "0.2")
    days = {"0.1": "2025-05-01", "0.2": "2026-05-01", "1.0": "2025-04-01", "2.0": "2026-04-01"}
    dates = {w.name: f"{days[w.name.split('-')[1]]}T00:00:00Z" for w in folder.glob("*.whl")}
    with simple_index(folder, dates) as url:
        yield url


def over(root: Path, url: str, **more: object) -> VenvExecutor:
    settings = IndexSettings(index_url=url, **more)  # type: ignore[arg-type]
    return VenvExecutor(root / "cache", root / "state", settings=lambda: settings)


def test_a_date_hides_what_came_later(tmp_path: Path, users_index: str) -> None:
    ex = over(tmp_path, users_index)
    then = ex.build(recipe("stub-engine==1.0", before="2025-06-01"), tmp_path / "log", print)
    now = ex.build(recipe("stub-engine==1.0"), tmp_path / "log", print)
    assert then.lock == ("stub-dep==0.1", "stub-engine==1.0")
    assert now.lock == ("stub-dep==0.2", "stub-engine==1.0")
    assert then.notes == now.notes == ()


def test_an_index_without_dates_is_used_without_the_date_and_that_is_said(tmp_path: Path) -> None:
    wheel(tmp_path / "plain", "stub-engine", "1.0")
    with simple_index(tmp_path / "plain") as url:
        made = over(tmp_path, url).build(recipe("stub-engine==1.0", before="2025-06-01"), tmp_path / "log", print)
    assert made.lock == ("stub-engine==1.0",)
    assert made.notes == ("the index tells no upload dates: installing without the date 2025-06-01",)


def test_a_date_before_everything_fails_and_pip_which_knows_no_dates_is_not_asked(
    tmp_path: Path, users_index: str
) -> None:
    notes: list[str] = []
    with pytest.raises(BuildError, match="unsatisfiable"):
        over(tmp_path, users_index).build(
            recipe("stub-engine==1.0", before="2020-01-01"), tmp_path / "log", notes.append
        )
    assert not any("pip" in note for note in notes)


def test_pre_releases_only_where_the_recipe_lets_them_in(tmp_path: Path) -> None:
    links = tmp_path / "links"
    wheel(links, "stub-engine", "1.0", requires=["stub-dep>=0.1"])
    wheel(links, "stub-dep", "0.1")
    wheel(links, "stub-dep", "0.2b1")
    ex = executor(tmp_path, links)
    assert "stub-dep==0.1" in ex.build(recipe("stub-engine==1.0"), tmp_path / "log", print).lock
    assert "stub-dep==0.2b1" in ex.build(recipe("stub-engine==1.0", prerelease=True), tmp_path / "log", print).lock


def test_an_override_replaces_what_a_package_asks_for(tmp_path: Path) -> None:
    links = tmp_path / "links"
    wheel(links, "stub-engine", "1.0", requires=["stub-dep==0.1b15"])
    wheel(links, "stub-dep", "0.1")
    ex = executor(tmp_path, links)
    wanted = recipe("stub-engine==1.0", overrides=("stub-dep==0.1", "unused==1"))
    assert ex.build(wanted, tmp_path / "log", print).lock == ("stub-dep==0.1", "stub-engine==1.0")
    with pytest.raises(BuildError, match=r"stub-dep==0\.1b15"):
        ex.build(recipe("stub-engine==1.0"), tmp_path / "log", print)


def test_a_commits_wheel_comes_from_the_commits_index_and_the_rest_from_the_users(
    tmp_path: Path, users_index: str
) -> None:
    wheel(tmp_path / "commit", "stub-engine", DEV, requires=["stub-dep"])
    with simple_index(tmp_path / "commit") as url:
        wanted = recipe("stub-engine", indexes=(f"{url}/{COMMIT}",))
        made = over(tmp_path, users_index).build(wanted, tmp_path / "log", print)
    assert made.lock == ("stub-dep==0.2", f"stub-engine=={DEV}")


def test_a_pinned_nightly_is_found_in_the_recipes_index(tmp_path: Path, users_index: str) -> None:
    wheel(tmp_path / "nightly", "stub-engine", DEV, requires=["stub-dep"])
    with simple_index(tmp_path / "nightly") as url:
        wanted = recipe(f"stub-engine=={DEV}", indexes=(url,), prerelease=True)
        made = over(tmp_path, users_index).build(wanted, tmp_path / "log", print)
    assert made.lock == ("stub-dep==0.2", f"stub-engine=={DEV}")


def test_a_commit_without_a_wheel_fails_and_nothing_else_is_taken(tmp_path: Path, users_index: str) -> None:
    (tmp_path / "empty").mkdir()
    with simple_index(tmp_path / "empty") as url:
        wanted = recipe("stub-engine", indexes=(f"{url}/{COMMIT}",))
        with pytest.raises(BuildError, match="stub-engine"):
            over(tmp_path, users_index).build(wanted, tmp_path / "log", print)


@pytest.mark.parametrize(
    ("asked", "lock", "said"),
    [
        ("sglang[all]==0.5.10", "sglang==0.5.9", r"sglang\[all\]==0.5.10 was asked for and sglang 0.5.9 was installed"),
        ("transformers<5", "transformers==5.1", "transformers 5.1 was installed"),
        ("sglang==0.5.10.dev1+g4cf4f0859", "sglang==0.5.10.dev1+g4cf4f0850", "g4cf4f0850 was installed"),
        ("vllm==0.11.0", "other==1", "vllm was asked for and is not installed"),
        ("vllm", "vllm==0.33.0", "vllm of commit 25268f0c9aaa was asked for and 0.33.0 was installed"),
    ],
)
def test_another_version_than_asked_is_a_failed_build(asked: str, lock: str, said: str) -> None:
    indexes = (f"https://wheels.example/{COMMIT}/cu129",) if asked == "vllm" else ()
    with pytest.raises(BuildError, match=said):
        verify(recipe(asked, indexes=indexes), (lock,))


@pytest.mark.parametrize(
    ("asked", "lock"),
    [
        ("vllm==0.11.0", "vllm==0.11.0+cu129"),
        ("Stub_Engine==1.0", "stub-engine==1.0"),
        (f"vllm=={DEV}", f"vllm=={DEV}"),
        ("vllm @ https://wheels.example/vllm.whl", "vllm @ https://wheels.example/vllm.whl"),
        ("torchvision", "vllm==1"),
        ("sglang==0.5.10.dev20260215+g4cf4f0859", "sglang==0.5.10.dev77+g4cf4f08"),
    ],
)
def test_what_was_asked_for_passes(asked: str, lock: str) -> None:
    verify(recipe(asked, remove=("torchvision",)), (lock,))
