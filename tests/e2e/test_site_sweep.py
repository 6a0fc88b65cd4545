"""SGLang as it is installed in a folder, swept from `matrix.toml` to results: the engine there is the scripted one."""

import json
from pathlib import Path

import pytest

from tests.e2e.kit import ONCE, Place, model
from tests.fakes.embed import site

VERSION = "0.5.15.post1"
HEAD = """\
executor = "auto"

[engines.sglang]
install = "site"
site = "{site}"
versions = [{versions}]
env = {{ FAKE_ENGINE_SCRIPT = {script} }}
flags = ["--tp-size", "1"]
"""
REST = """
[targets.tiny]
path = "models/target"

[drafts.head]
path = "models/head"

[specs.eagle3]
method = "eagle3"
draft = "head"
k = 3

[specs.wide]
method = "eagle3"
draft = "head"
k = 3
topk = 1
draft_tokens = 24

[specs.random]
method = "draft_model"
draft = "head"
k = 3

[specs.suffix]
method = "suffix"
k = 3

[workloads.short]
limit = 4
max_tokens = 32
"""
SCRIPT = {
    "distribution": "sglang",
    "acceptance": [0.7, 0.45, 0.25],
    "by_method": {"standalone": {"acceptance": [0.0, 0.0, 0.0]}},
}


def installed(folder: Path, version: str = VERSION) -> Path:
    """Site-packages whose `sglang.launch_server` is the scripted engine."""
    return site(folder, "sglang", version)


def project(root: Path, versions: str = f'"{VERSION}"', folder: str = "../site") -> Place:
    here = Place(root / "project", root / "wheels")
    model(here.folder / "models" / "target")
    model(here.folder / "models" / "head", b"head")
    here.write(HEAD.format(site=folder, versions=versions, script=json.dumps(json.dumps(SCRIPT))) + REST + ONCE)
    return here


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Place:
    root = tmp_path_factory.mktemp("site")
    installed(root / "site")
    here = project(root)
    done = here.run("sweep")
    assert done.returncode in (0, 1), done.stderr
    return here


def test_every_cell_is_measured_through_the_native_endpoint(swept: Place) -> None:
    rows = {row["method"] + str(row["draft_tokens"] or ""): row for row in swept.lines("results")}
    assert {key: row["outcome"] for key, row in rows.items()} == {
        "none": "ok",
        "eagle3": "ok",
        "eagle324": "ok",
        "draft_model": "ok",
        "suffix": "unsupported",
    }
    assert rows["none"]["accept_length"] is None
    assert 1.5 < rows["eagle3"]["accept_length"] < 3.5
    assert rows["eagle324"]["accept_length"] == rows["eagle3"]["accept_length"]
    assert rows["eagle324"]["reason"].endswith("the engine settled on draft_tokens 4 where 24 was asked for")
    assert "settled" not in rows["eagle3"]["reason"]
    assert rows["draft_model"]["accept_length"] == 1.0 and rows["draft_model"]["per_position"] == [0, 0, 0]
    assert "no suffix decoding" in rows["suffix"]["reason"]
    assert {row["executor"] for row in rows.values()} == {"venv"}


def test_the_folder_is_as_it_was(swept: Place) -> None:
    site = swept.folder.parent / "site"
    assert (site / "sglang" / "launch_server.py").is_file()
    assert sorted(p.name for p in site.iterdir()) == ["sglang", f"sglang-{VERSION}.dist-info"]


@pytest.mark.parametrize(
    ("versions", "site", "said"),
    [
        ('"0.5.11"', "../site", ("matrix.toml:6: engines.sglang.versions", f"holds sglang {VERSION}, not 0.5.11")),
        ('">=0.6"', "../site", ("matrix.toml:6: engines.sglang.versions", f'versions = ["{VERSION}"]')),
        (f'"{VERSION}", "0.5.11"', "../site", ("matrix.toml:6: engines.sglang.versions",)),
        (f'"{VERSION}"', "../nowhere", ("matrix.toml:5: engines.sglang.site", "is not a folder")),
        (f'"{VERSION}"', "models", ("matrix.toml:5: engines.sglang.site", "holds no installed sglang")),
    ],
)
def test_a_version_that_is_not_there_is_refused(
    tmp_path: Path, versions: str, site: str, said: tuple[str, ...]
) -> None:
    installed(tmp_path / "site")
    done = project(tmp_path, versions, site).run("plan")
    assert done.returncode == 2
    assert all(part in " ".join(done.stderr.split()) for part in said), done.stderr


def test_another_executor_is_refused(tmp_path: Path) -> None:
    installed(tmp_path / "site")
    done = project(tmp_path).run("plan", "--executor", "docker")
    assert done.returncode == 2 and "matrix.toml:4: engines.sglang.install" in done.stderr
