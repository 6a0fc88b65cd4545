"""What goes into an image build; no daemon."""

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from matrix.core.errors import EnvironmentMismatchError
from matrix.core.index import IndexSettings
from matrix.executors.docker.context import index_script, write_context
from matrix.executors.docker.settings import DockerSettings


def packed(settings: DockerSettings, index: IndexSettings) -> dict[str, str]:
    out = io.BytesIO()
    write_context(out, "FROM x\n", settings, index, lambda _: None)
    out.seek(0)
    with tarfile.open(fileobj=out) as tar:
        files = {m.name: tar.extractfile(m) for m in tar.getmembers()}
        return {name: file.read().decode() for name, file in files.items() if file}


def sourced(script: str, *names: str) -> list[str]:
    """The values that a shell sees after reading the script."""
    shown = "".join(f'printf "%s\\n" "${{{name}-unset}}"\n' for name in names)
    done = subprocess.run(["sh", "-euc", script + shown], capture_output=True, text=True, check=True, env={})
    return done.stdout.splitlines()


def test_bare_settings_give_empty_inputs() -> None:
    files = packed(DockerSettings(), IndexSettings())
    assert files["Dockerfile"] == "FROM x\n"
    assert files["inputs/ca.pem"] == files["inputs/constraints.txt"] == ""
    assert "constraints" not in files["inputs/index.sh"]
    assert not [name for name in files if name.startswith("inputs/wheels")]


def test_wheels_certificates_and_constraints_come_along(tmp_path: Path) -> None:
    (tmp_path / "real.whl").write_text("wheel body")
    folder = tmp_path / "wheels"
    folder.mkdir()
    (folder / "a-1-py3-none-any.whl").symlink_to(tmp_path / "real.whl")
    (folder / "readme.txt").write_text("not a wheel")
    (tmp_path / "ca.pem").write_text("CERT")
    (tmp_path / "c.txt").write_text("torch<3")
    settings = DockerSettings(wheel_dir=folder, ca_bundle=tmp_path / "ca.pem")
    files = packed(settings, IndexSettings(constraints=(str(tmp_path / "c.txt"),)))
    assert files["inputs/wheels/a-1-py3-none-any.whl"] == "wheel body"
    assert "inputs/wheels/readme.txt" not in files
    assert files["inputs/ca.pem"] == "CERT"
    assert files["inputs/constraints.txt"] == "torch<3"
    assert sourced(files["inputs/index.sh"], "PIP_CONSTRAINT") == ["/inputs/constraints.txt"]


def test_named_bundle_outranks_the_installers() -> None:
    own, pips = Path(__file__), Path(__file__).with_name("__init__.py")
    files = packed(DockerSettings(ca_bundle=own), IndexSettings(cert=str(pips)))
    assert files["inputs/ca.pem"] == own.read_text()


@pytest.mark.parametrize("settings", [DockerSettings(wheel_dir=Path("/none")), DockerSettings(ca_bundle=Path("/none"))])
def test_named_file_that_is_missing_is_named(settings: DockerSettings) -> None:
    with pytest.raises(EnvironmentMismatchError, match="/none"):
        packed(settings, IndexSettings())


def test_index_settings_reach_both_installers_unharmed() -> None:
    url = "https://me:pa$s'w%20d@index.example/simple"
    script = index_script(IndexSettings(index_url=url, extra_index_urls=("https://b.example/s",)), lambda _: None)
    names = ("UV_DEFAULT_INDEX", "PIP_INDEX_URL", "UV_INDEX", "PIP_EXTRA_INDEX_URL")
    assert sourced(script, *names) == [url, url, "https://b.example/s", "https://b.example/s"]


def test_folders_of_this_host_are_left_out_with_a_note() -> None:
    notes: list[str] = []
    index = IndexSettings(
        index_url="file:///srv/index",
        extra_index_urls=("file:///srv/more", "https://b.example/s"),
        find_links=("/srv/wheels", "https://c.example/links"),
        cert="/etc/ca.pem",
    )
    script = index_script(index, notes.append)
    assert "/srv/" not in script
    assert "/etc/ca.pem" not in script
    assert [n.split()[0] for n in notes] == ["/srv/wheels", "file:///srv/more", "file:///srv/index"]
    assert all("wheel_dir" in n for n in notes)
    index_url, extra, links = sourced(script, "UV_DEFAULT_INDEX", "UV_INDEX", "PIP_FIND_LINKS")
    assert (index_url, extra) == ("unset", "https://b.example/s")
    assert links == "/inputs/wheels https://c.example/links"
