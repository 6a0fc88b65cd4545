"""How an engine is installed: what fits its table, and what is refused by file, line and key."""

from dataclasses import replace

import pytest

from matrix.core.errors import ConfigError
from matrix.plan.expand import Inputs, expand
from matrix.plan.parse import parse_config
from tests.plan.build import MINIMAL, inputs

SITE = MINIMAL.replace(
    "[engines.vllm]", '[engines.vllm]\nengine = "sglang"\ninstall = "site"\nsite = "/s"\npython = "p"'
)


def test_a_site_reaches_its_cells_and_no_key() -> None:
    found = inputs(["1.0.0"])
    here, there = (expand(parse_config(SITE, "m"), _with_site(found, folder)).cells[1] for folder in ("/s", "/t"))
    assert (here.install, here.site, here.python, here.revision.engine) == ("site", "/s", "p", "sglang")
    assert here.series_key == there.series_key and here.content_key("r", "1") == there.content_key("r", "1")


def _with_site(found: Inputs, folder: str) -> Inputs:
    return replace(found, sites={"vllm": folder})


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "says"),
    [
        ('site = "/s"\n', "", 1, "engines.vllm.site", "needs the folder"),
        ('install = "site"\n', "", 3, "engines.vllm.site", "belongs to"),
        ('install = "site"\nsite = "/s"\n', "", 3, "engines.vllm.python", "belongs to"),
        ('install = "site"\nsite = "/s"\npython = "p"\n', "", 1, "engines.vllm.install", "SGLang is used as installed"),
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
