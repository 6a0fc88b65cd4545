"""`matrix export`, `matrix restore` and the import of another instance's dump."""

import json
from pathlib import Path

import pytest

from matrix.app.judging import judge_all
from matrix.cli.main import main
from matrix.store import open_store
from tests.store.build import baseline_run, cell, run, sample


@pytest.fixture
def db(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/matrix.db"
    store = open_store(url)
    store.runs.save(baseline_run("base-1", "0.27.1", at=900.0))
    store.runs.save(run("good-1", cell("0.27.1"), *(sample(f"code-{n}") for n in range(8)), at=1000.0))
    judge_all(store)
    store.close()
    return url


def test_a_dump_comes_back_byte_for_byte(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, new = tmp_path / "one.gz", tmp_path / "two.gz", f"sqlite:///{tmp_path}/new.db"
    assert main(["export", "--dump", str(one), "--db", db, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert main(["restore", str(one), "--db", new, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told and told["rows"] > 10
    assert main(["export", "--dump", str(two), "--db", new]) == 0
    assert one.read_bytes() == two.read_bytes()
    assert main(["export", "--dump", str(one), "--db", db]) == 0, "an older dump may be replaced"
    assert main(["restore", str(one), "--db", new]) == 2 and "not empty" in capsys.readouterr().err
    assert main(["restore", str(tmp_path / "none"), "--db", new]) == 3


def test_no_other_file_is_replaced(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("mine")
    assert main(["export", "--dump", str(tmp_path / "notes"), "--db", db]) == 2
    assert "no dump" in capsys.readouterr().err and (tmp_path / "notes").read_text() == "mine"
    assert main(["export", "--db", db]) == 2
    assert main(["export", "--dump", str(tmp_path / "d"), "--db", f"sqlite:///{tmp_path}/none.db"]) == 3


def test_what_another_instance_measured_is_reported_here(
    db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump, mine = tmp_path / "theirs.gz", f"sqlite:///{tmp_path}/mine.db"
    assert main(["export", "--dump", str(dump), "--db", db]) == 0
    capsys.readouterr()
    asked = ["import", "--dump", str(dump), "--link", "https://example.org/matrix", "--db", mine, "--json"]
    assert main(asked) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["kind"], done["reports"], done["new"]) == ("dump", 1, 1)
    assert main(asked) == 0 and json.loads(capsys.readouterr().out)["new"] == 0
    assert main(["compat", "tiny", "--db", mine, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    claim = answer["recommended"]
    assert (answer["answer"], claim["evidence"], claim["revision"]) == ("reported", "reported", "0.27.1")
    assert (claim["accept_length"], claim["bonus"], claim["link"]) == (3.0, "yes", "https://example.org/matrix")
    assert list(open_store(mine).read.results()) == [], "nothing counts as measured here"


def test_a_damaged_dump_is_refused(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = tmp_path / "theirs.gz"
    assert main(["export", "--dump", str(dump), "--db", db]) == 0
    dump.write_bytes(dump.read_bytes()[:-200])
    assert main(["import", str(dump), "--db", f"sqlite:///{tmp_path}/mine.db"]) == 2
    assert "damaged" in capsys.readouterr().err


def test_the_site_is_written_by_one_command(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--site", str(tmp_path / "public"), "--db", db, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == told["written"] > 10 and (tmp_path / "public/index.html").is_file()
