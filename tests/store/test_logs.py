"""Logs: named by content, capped, readable again, without secrets, in bounded memory."""

import os
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from matrix.core.errors import InfraError, NotFoundError
from matrix.store.logs import Logs
from tests.store.mounts import can_mount

SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path / "state")


def keep(logs: Logs, tmp_path: Path, data: bytes, cap: int = 2**20) -> tuple[str, int]:
    path = tmp_path / "server.log"
    path.write_bytes(data)
    return logs.keep(path, cap)


def test_a_log_comes_back_as_it_was(logs: Logs, tmp_path: Path) -> None:
    text = "INFO one\nWARN zwei 漢\n"
    ref, size = keep(logs, tmp_path, text.encode())
    assert (logs.read(ref), size) == (text, len(text.encode()))
    assert (tmp_path / "state" / "logs" / ref[:2] / f"{ref}.gz").is_file()


def test_equal_logs_are_one_file(logs: Logs, tmp_path: Path) -> None:
    first, second = keep(logs, tmp_path, b"same\n"), keep(logs, tmp_path, b"same\n")
    assert first == second
    assert len([p for p in (tmp_path / "state").rglob("*") if p.is_file()]) == 1


def test_hostile_bytes(logs: Logs, tmp_path: Path) -> None:
    data = b"\x1b[31mred\x1b[0m \x00nul\x00 \xff\xfe bad utf-8\n" + f"\x1b[1m{SECRET}\x1b[0m\n".encode()
    text = logs.read(keep(logs, tmp_path, data)[0])
    assert text == "red nul \ufffd\ufffd bad utf-8\n[redacted]\n"


def test_the_middle_of_a_long_log_is_cut_and_counted(logs: Logs, tmp_path: Path) -> None:
    lines = [f"line {i:06}\n".encode() for i in range(20_000)]
    data = b"".join(lines)
    ref, size = keep(logs, tmp_path, data, cap=40_000)
    head, _, tail = logs.read(ref).partition("\n[")
    count, _, tail = tail.partition(" of 240000 bytes are cut out here]\n")
    assert head.startswith("line 000000\n")
    assert tail.endswith("line 019999\n")
    assert len(head) + 1 + int(count) + len(tail) == len(data)
    assert all(line in lines for line in (part + b"\n" for part in (head + "\n" + tail).encode().split(b"\n")[:-1]))
    assert 38_000 < size < 40_100


@pytest.mark.parametrize("shift", range(0, 40, 3))
def test_no_part_of_a_secret_survives_at_the_cut(logs: Logs, tmp_path: Path, shift: int) -> None:
    # One line without an end; a secret lies across both cuts, at 10,000 bytes from either end.
    filler = bytearray(b"." * 60_000)
    for cut in (10_000, 50_000):
        at = cut - shift
        filler[at : at + len(SECRET)] = SECRET.encode()
    text = logs.read(keep(logs, tmp_path, bytes(filler), cap=20_000)[0])
    assert "bytes are cut out here" in text
    assert not any(SECRET[i : i + 5] in text for i in range(len(SECRET) - 4))


def test_one_line_of_50_mb_takes_little_memory(logs: Logs, tmp_path: Path) -> None:
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        for _ in range(50):
            file.write(b"x" * 2**20)
    tracemalloc.start()
    ref, size = logs.keep(path)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    assert 7 * 2**20 < size <= 8 * 2**20 + 100
    assert peak < 40, f"{peak:.0f} MiB"
    assert "of 52428800 bytes are cut out here" in logs.read(ref)


def test_a_reference_that_is_none_never_becomes_a_path(logs: Logs, tmp_path: Path) -> None:
    for ref in ("../../etc/passwd", "", "A" * 64, "a" * 63, "a" * 64 + "\n"):
        with pytest.raises(NotFoundError, match="not a log reference"):
            logs.read(ref)
    with pytest.raises(NotFoundError, match="no such log"):
        logs.read("a" * 64)
    with pytest.raises(NotFoundError, match=r"nothing\.log: there is no such log"):
        logs.keep(tmp_path / "nothing.log")


def test_a_damaged_file_is_said_to_be_damaged(logs: Logs, tmp_path: Path) -> None:
    ref, _ = keep(logs, tmp_path, b"x" * 1000)
    path = tmp_path / "state" / "logs" / ref[:2] / f"{ref}.gz"
    whole = path.read_bytes()
    for broken in (whole[:-12], b"plain", whole[:12] + b"\xff" * 20):
        path.write_bytes(broken)
        with pytest.raises(InfraError, match="the log file is damaged"):
            logs.read(ref)


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    can_mount()
    log = tmp_path / "big.log"
    log.write_bytes(os.urandom(3 * 2**20).hex().encode())
    code = (
        "import sys; from pathlib import Path; from matrix.store.logs import Logs\n"
        "try: Logs(Path(sys.argv[1])).keep(Path(sys.argv[2]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "print([p.name for p in Path(sys.argv[1]).rglob('*') if p.is_file()])"
    )
    place = tmp_path / "small"
    place.mkdir()
    script = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" -c "$3" "$1" "$4"'
    command = ["unshare", "-m", "sh", "-c", script, "sh", str(place), sys.executable, code, str(log)]
    said = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    assert said[0].startswith("InfraError")
    assert "No space left" in said[0]
    assert said[1] == "[]"


def test_what_was_cut_while_the_log_was_written_counts_as_well(logs: Logs, tmp_path: Path) -> None:
    path, cap = tmp_path / "log", 64 * 1024
    line = b"y" * 63 + b"\n"
    path.write_bytes(line * 2000 + b"\n[5000 of 999999 bytes are cut out here]\n" + line * 2000)
    ref, _ = logs.keep(path, cap)
    kept = logs.read(ref)
    found = re.search(r"\n\[(\d+) of (\d+) bytes are cut out here\]\n", kept)
    assert found is not None
    assert int(found[2]) == 4000 * 64 + 5000
    assert int(found[1]) + len(kept) + 1 - (found.end() - found.start()) == int(found[2])
