"""pip's configuration as pip itself reports it, and uv's variables over it."""

import os
from pathlib import Path

import pytest

from matrix.core.index import IndexSettings
from matrix.sources import pip_settings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment in which pip knows one configuration file and nothing else."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_"))}
    return clean | {
        "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"),
        "HOME": str(tmp_path),
        "XDG_CONFIG_DIRS": str(tmp_path),
    }


def test_real_pip_reads_files_and_environment_in_its_own_order(tmp_path: Path, environ: dict[str, str]) -> None:
    for name in ("wheels", "more"):
        (tmp_path / name).mkdir()
    (tmp_path / "pip.conf").write_text(
        f"""[global]
index-url = https://user:p'w"d@one.example/simple
extra-index-url =
    file:///srv/a
    file:///srv/b
find-links = {tmp_path}/gone {tmp_path}/wheels
timeout = 15
[install]
constraint = /srv/c.txt
index-url = https://two.example/simple
[download]
index-url = https://never.example/simple
"""
    )
    environ |= {"PIP_FIND_LINKS": f"{tmp_path}/more", "PIP_TRUSTED_HOST": "lab.example", "PIP_DEFAULT_TIMEOUT": "180"}
    settings = pip_settings.read(environ)
    assert settings.index_url == "https://two.example/simple", "[install] outranks [global]"
    assert settings.extra_index_urls == ("file:///srv/a", "file:///srv/b")
    assert settings.find_links == (f"{tmp_path}/more",), "the environment outranks files"
    assert settings.constraints == ("/srv/c.txt",)
    assert settings.trusted_hosts == ("lab.example",)


def test_quotes_and_folders_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    settings = pip_settings.parse(
        f"""global.index-url='https://user:p\\'w"d@one.example/simple'
global.find-links='{tmp_path}/gone\\n{tmp_path}/wheels https://links.example/x'
global.no-index='true'
WARNING: something else
"""
    )
    assert settings.index_url == "https://user:p'w\"d@one.example/simple"
    assert settings.find_links == (f"{tmp_path}/wheels", "https://links.example/x")
    assert settings.no_index


def test_uv_s_variables_come_on_top() -> None:
    base = IndexSettings(
        index_url="https://pip.example/simple", extra_index_urls=("file:///srv/a",), constraints=("/c",)
    )
    environ = {
        "UV_DEFAULT_INDEX": "https://uv.example/simple",
        "UV_INDEX": "lab=https://lab.example/simple file:///srv/a",
        "UV_FIND_LINKS": "https://links.example/a,https://links.example/b",
    }
    settings = pip_settings.with_uv(base, environ)
    assert settings.index_url == "https://uv.example/simple"
    assert settings.extra_index_urls == ("https://lab.example/simple", "file:///srv/a")
    assert settings.find_links == ("https://links.example/a", "https://links.example/b")
    assert settings.constraints == ("/c",)
    assert pip_settings.with_uv(base, {}) == base


def test_without_pip_the_environment_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pip_settings.sys, "executable", "/nowhere/python")
    monkeypatch.setattr(pip_settings.shutil, "which", lambda name: None)
    environ = {"PATH": "/nowhere", "PIP_INDEX_URL": "https://one.example/simple", "PIP_NO_INDEX": "0"}
    assert pip_settings.read(environ) == IndexSettings(index_url="https://one.example/simple")
