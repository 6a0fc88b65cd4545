"""Which table of the config a bisection means by an engine's name: a regression knows the engine alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from matrix.app.bisect.request import Regress, Request
from matrix.app.bisect.subject import Subject, subject
from matrix.app.executors import Defaults, make_executor
from matrix.app.source import Source
from matrix.core.errors import ConfigError
from matrix.core.revision import Revision
from matrix.store import Store, open_store
from tests.e2e.kit import model, toml
from tests.store import build

TABLES = """
[engines.eager]
engine = "vllm"
versions = ["1.0.0"]
flags = ["--enforce-eager"]

[engines.plain]
engine = "vllm"
versions = ["1.0.0"]
"""
ASKED = Request("matrix.toml", "vllm", "1.1.0", Regress.ACCEPT, "tiny", good="1.0.0", draft="head")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path}/matrix.db")
    yield opened
    opened.close()


def source(folder: Path, text: str) -> Source:
    model(folder / "models" / "target")
    model(folder / "models" / "head", b"head")
    file = folder / "matrix.toml"
    file.write_text(text)
    return Source(file)


def ran(found: Subject, store: Store) -> None:
    _, cell = found.cells(Revision("vllm", "1.0.0"), 0)
    store.runs.save(build.run("r1", cell))


def chosen(of: Source, store: Store, engine: str = "vllm") -> Subject:
    venv = make_executor("venv", Defaults(), of.path.parent, of.path.parent)
    return subject(of, replace(ASKED, engine=engine), venv, store)


def test_of_tables_of_one_engine_the_one_that_ran_is_meant(tmp_path: Path, store: Store) -> None:
    both = source(tmp_path, toml(extra=TABLES))
    assert chosen(both, store).engine_table == "vllm", "its own name, where none ran"
    ran(chosen(both, store, "eager"), store)
    assert chosen(both, store).engine_table == "eager"
    assert chosen(both, store, "plain").engine_table == "plain"


def test_where_the_runs_do_not_tell_it_is_an_open_choice(tmp_path: Path, store: Store) -> None:
    two = source(tmp_path, toml(extra=TABLES).replace("[engines.vllm]", '[engines.third]\nengine = "vllm"'))
    with pytest.raises(ConfigError, match="`vllm` is several engines") as caught:
        chosen(two, store)
    assert caught.value.hint == "name one of third, eager, plain"
    ran(chosen(two, store, "eager"), store)
    assert chosen(two, store).engine_table == "eager"
