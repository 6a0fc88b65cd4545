"""What `matrix plan` says of releases whose rules were not read."""

from dataclasses import replace

from matrix.cli.plan import footnotes
from matrix.core.cell import Cell
from matrix.core.revision import Revision
from tests.app.build import cell


def at(engine: str, version: str) -> Cell:
    return replace(cell(), revision=Revision(engine, version))


def test_releases_that_were_not_read_have_a_footnote_each() -> None:
    cells = [at("vllm", "0.33.0"), at("vllm", "0.34.0"), at("vllm", "0.34.0"), at("sglang", "0.6.0")]
    assert footnotes(cells) == [
        "* vllm 0.34.0 is none of the releases that were read (0.8.5 to 0.33.0): its rules are unverified",
        "* sglang 0.6.0 is none of the releases that were read (0.4.6.post5 to 0.5.23): its rules are unverified",
    ]
    assert footnotes([at("sglang", "0.5.23"), at("vllm", "0.28.1rc1.dev380+g25268f0c9")]) == []
