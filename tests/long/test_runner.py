"""The reader of wheels itself: what it joins, what it reports, and that no release is left out. No network."""

import zipfile
from pathlib import Path

import pytest

from matrix.engines.quirks import Witness
from tests.fakes.rows import Row
from tests.long import wheels
from tests.long.test_wheels import _wrong_rows, _wrong_witnesses
from tests.long.wheels import Sources, sources
from tests.long.witnesses import QUIRKS, RELEASES, Wheel, without_witness
from tests.long.witnesses import wheels as asked

FILES = Sources(
    {"pkg/log.py": 'log(\n    "mean: %.2f, "\n    f"drafts: {n}"\n)\n', "pkg/args.py": 'add("--old-flag")\n'}
)
LINE = Row("line", "1.0", "1.5", "mean: %.2f, drafts: {n}", "pkg/log.py")
FLAG = Row("flag", "1.0", "1.5", "--old-flag", "pkg/a*.py|pkg/b.py")


def test_what_a_wheel_says_in_pieces_is_found() -> None:
    assert _wrong_rows(Wheel(rows=[LINE, FLAG]), FILES, "1.2") == []


@pytest.mark.parametrize(
    "row", [Row("line", None, None, "median: %.2f", "pkg/log.py"), Row("flag", None, None, "--old-flag", "pkg/log.py")]
)
def test_what_it_does_not_say_there_is_reported(row: Row) -> None:
    (wrong,) = _wrong_rows(Wheel(rows=[row]), FILES, "1.2")
    assert wrong.startswith("not in pkg/log.py")


def test_a_flag_in_a_release_outside_its_span_is_reported() -> None:
    (wrong,) = _wrong_rows(Wheel(rows=[LINE, FLAG]), FILES, "2.0")
    assert "--old-flag" in wrong


@pytest.mark.parametrize(
    ("text", "absent", "wrong"), [("mean: %", False, 0), ("mean: %", True, 1), ("x", True, 0), ("x", False, 1)]
)
def test_a_witness_is_there_or_absent_as_it_says(text: str, absent: bool, wrong: int) -> None:
    wheel = Wheel(witnesses=[(Witness("1.2", "log.py", text, absent=absent), "topic: what")])
    assert len(_wrong_witnesses(wheel, FILES)) == wrong


def test_every_release_and_every_witness_has_its_wheel() -> None:
    found = asked()
    assert {(name, release) for name, releases in RELEASES.items() for release in releases} <= set(found)
    told = sum(len(quirk.witnesses) for quirks in QUIRKS.values() for quirk in quirks)
    assert told == sum(len(wheel.witnesses) for wheel in found.values()) > 100
    assert len(without_witness()) > 0


def test_a_wheel_is_fetched_once_and_only_what_was_asked_for_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def download(distribution: str, version: str, folder: Path) -> Path:
        fetched.append(version)
        wheel = folder / "w.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("pkg/log.py", "mean")
            archive.writestr("pkg/huge.so", "x" * 10_000)
        return wheel

    monkeypatch.setattr(wheels, "CACHE", tmp_path)
    monkeypatch.setattr(wheels, "VOLUME", wheels.Volume())
    monkeypatch.setattr(wheels, "_download", download)
    for _ in range(2):
        assert sources("pkg", "1.0", {"pkg/*.py"}).plain == {"pkg/log.py": "mean"}
    assert sources("pkg", "1.0", {"*log.py"}).say("mean", ["*log.py"]) and fetched == ["1.0", "1.0"]
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".zip"]
