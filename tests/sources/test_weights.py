"""The hash of a model folder follows what decides its output, and nothing else."""

import os
import shutil
import time
from pathlib import Path

import pytest

from matrix.core.errors import ConfigError, InfraError
from matrix.sources import weights
from matrix.sources.weights import content_hash, size


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "tokenizer.json", "merges.txt", "sub/extra.bin"):
        (folder / name).write_text(name)
    settle(folder)
    return folder


def settle(folder: Path) -> None:
    """Make all files look old, as downloaded models are."""
    for file in folder.rglob("*"):
        os.utime(file, (time.time() - 100, time.time() - 100))


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "merges.txt", "sub/extra.bin", "new.safetensors"])
def test_any_deciding_file_changes_it(model: Path, tmp_path: Path, name: str) -> None:
    before = content_hash(model, tmp_path)
    (model / name).write_text("changed")
    assert content_hash(model, tmp_path) != before


def test_a_renamed_or_removed_file_changes_it(model: Path, tmp_path: Path) -> None:
    seen = {content_hash(model, tmp_path)}
    (model / "merges.txt").rename(model / "vocab.txt")
    seen.add(content_hash(model, tmp_path))
    (model / "vocab.txt").unlink()
    seen.add(content_hash(model, tmp_path))
    assert len(seen) == 3


@pytest.mark.parametrize("name", ["README.md", ".gitattributes", ".cache/x", "train.log", "LICENSE", "figure.png"])
def test_files_aside_do_not(model: Path, tmp_path: Path, name: str) -> None:
    before = content_hash(model, tmp_path)
    (model / name).parent.mkdir(exist_ok=True)
    (model / name).write_text("x")
    assert content_hash(model, tmp_path) == before


def test_place_does_not_matter_and_links_are_followed(model: Path, tmp_path: Path) -> None:
    """A hub snapshot is a folder of links into a store of blobs."""
    copy = Path(shutil.copytree(model, tmp_path / "copy"))
    (tmp_path / "blob").write_bytes((copy / "model.safetensors").read_bytes())
    (copy / "model.safetensors").unlink()
    (copy / "model.safetensors").symlink_to(tmp_path / "blob")
    assert content_hash(copy, tmp_path) == content_hash(model, tmp_path)


def test_each_file_is_read_once(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = weights.hashlib.file_digest
    monkeypatch.setattr(weights.hashlib, "file_digest", lambda f, kind: (read.append(f.name), real(f, kind))[1])
    first = content_hash(model, tmp_path)
    assert len(read) == 5
    assert content_hash(model, tmp_path) == first
    assert len(read) == 5
    (model / "config.json").write_text("grown larger")
    os.utime(model / "config.json", (time.time() - 50, time.time() - 50))
    content_hash(model, tmp_path)
    assert [Path(name).name for name in read[5:]] == ["config.json"]


def test_file_written_just_now_is_not_trusted_to_its_clock(model: Path, tmp_path: Path) -> None:
    """Two writes within one tick of the clock leave the same size, time and inode."""
    file = model / "config.json"
    file.write_text("one")
    facts = file.stat()
    before = content_hash(model, tmp_path)
    with file.open("r+") as stream:
        stream.write("two")
    os.utime(file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert content_hash(model, tmp_path) != before


def test_cache_that_cannot_be_written_only_costs_time(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert content_hash(model, tmp_path / "file" / "cache") == content_hash(model, tmp_path)


def test_missing_and_empty_folders_are_the_user_s_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model folder"):
        content_hash(tmp_path / "gone", tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README.md").touch()
    with pytest.raises(ConfigError, match="no model files"):
        content_hash(tmp_path / "empty", tmp_path)


def test_link_to_nothing_is_infra_and_names_the_file(model: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").unlink()
    (model / "model.safetensors").symlink_to(tmp_path / "gone")
    with pytest.raises(InfraError, match=r"model\.safetensors.*download"):
        content_hash(model, tmp_path)


def test_the_size_is_that_of_the_weights_alone(tmp_path: Path) -> None:
    assert size(tmp_path / "not-fetched") == 0
    (tmp_path / "model-1.safetensors").write_bytes(b"x" * 100)
    (tmp_path / "model-2.safetensors").write_bytes(b"x" * 50)
    (tmp_path / "tokenizer.json").write_bytes(b"x" * 1000)
    assert size(tmp_path) == 150
