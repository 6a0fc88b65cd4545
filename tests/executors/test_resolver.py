"""uv's word on whole locks, nothing installed: what fits, what asks for another version, what lacks a package."""

import os
from pathlib import Path

import pytest

from matrix.core.errors import InfraError
from matrix.core.index import IndexSettings
from matrix.core.recipe import Recipe
from matrix.executors.resolver import Resolver
from tests.fakes.wheels import wheel

ENGINE = Recipe("engine", ("engine==1.0",), remove=("video",))


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexSettings:
    for name in [n for n in os.environ if n.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    folder = tmp_path / "links"
    wheel(folder, "engine", "1.0", requires=["tools>=2", "video"])
    for version in ("1.0", "2.0"):
        wheel(folder, "tools", version)
    wheel(folder, "tokens", "2.0", requires=["tools>=2", "more"])
    wheel(folder, "old", "1.0", requires=["setuptools"])
    wheel(folder, "setuptools", "80.0")
    wheel(folder, "video", "1.0", requires=["tools<2"])
    wheel(folder, "more", "1.0")
    return IndexSettings(find_links=(str(folder),), no_index=True)


def test_a_lock_fits_or_says_what_it_lacks(links: IndexSettings) -> None:
    """`video` is removed after each install, so no lock holds it and no index need have it."""
    resolver = Resolver(ENGINE, links)
    assert resolver.refusal(["engine==1.0", "tools==2.0"]) == ""
    assert "tools==1.0" in resolver.refusal(["engine==1.0", "tools==1.0"])
    assert resolver.refusal(["tools==2.0", "tokens==2.0"]) == "they ask for more as well"
    assert resolver.refusal(["tools==2.0", "tokens==2.0", "more==1.0"]) == ""
    assert resolver.refusal(["old==1.0"]) == "", "no `pip freeze` lists setuptools"
    assert "tools<2" in resolver.refusal(["engine==1.0", "tools==2.0", "video==1.0"]), "a lock may hold it all the same"
    assert "nowhere==1.0" in resolver.refusal(["nowhere==1.0"])


def test_an_index_that_does_not_answer_is_infra(links: IndexSettings) -> None:
    with pytest.raises(InfraError, match=r"the resolver cannot read the package index: .*127\.0\.0\.1"):
        Resolver(ENGINE, IndexSettings(index_url="http://127.0.0.1:9/simple")).refusal(["tools==1.0"])
