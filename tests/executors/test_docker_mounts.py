"""Model folders as mounts; no daemon."""

from pathlib import Path

from matrix.executors.docker.mounts import model_mounts


def shown(folder: Path) -> dict[str, str]:
    mounts = model_mounts(str(folder), "/models/target")
    assert all(m["ReadOnly"] for m in mounts)
    return {m["Target"]: m["Source"] for m in mounts}


def test_plain_folder_is_one_mount(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.json").write_text("{}")
    (tmp_path / "link.json").symlink_to(tmp_path / "sub" / "a.json")
    assert shown(tmp_path) == {"/models/target": str(tmp_path)}


def test_link_to_the_folder_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "name").symlink_to(real)
    assert shown(tmp_path / "name") == {"/models/target": str(real)}


def test_files_that_link_out_are_mounted_one_by_one(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "abc"
    blobs.mkdir()
    (snapshot / "sub").mkdir(parents=True)
    (blobs / "1234").write_text("weights")
    (snapshot / "sub" / "w.safetensors").symlink_to("../../../blobs/1234")
    (snapshot / "config.json").write_text("{}")
    assert shown(snapshot) == {
        "/models/target/config.json": str(snapshot / "config.json"),
        "/models/target/sub/w.safetensors": str(blobs / "1234"),
    }


def test_missing_folder_is_left_for_the_daemon_to_refuse(tmp_path: Path) -> None:
    assert shown(tmp_path / "none") == {"/models/target": str(tmp_path / "none")}
