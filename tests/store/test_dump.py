"""Dumps: the whole database as one file and back, byte for byte, without secrets."""

import gzip
import io
import json
from pathlib import Path

import pytest
from sqlalchemy import insert

from matrix.core.errors import ConfigError
from matrix.core.outcome import Outcome
from matrix.store import Store, is_dump, open_store, read_dump
from matrix.store.tables import acks, expectations, sweeps, tokens
from tests.store.build import baseline_run, cell, run, sample


def filled(store: Store) -> Store:
    store.runs.save(baseline_run("base-1", "0.27.1", at=900.0))
    store.runs.save(run("good-1", cell("0.27.1"), sample(), sample("chat-1"), at=1000.1))
    store.runs.save(run("bad-1", cell("0.32.0"), outcome=Outcome.LOAD_CRASH, at=2000.0))
    with store._db.write() as conn:
        secret = {
            "config_text": 'env = { HF_TOKEN = "hf_abcdefghijklmnopqrstu" }\n',
            "request": {"API_KEY": "s3cretvalue"},
        }
        conn.execute(insert(sweeps).values(secret | {"config_hash": "", "status": "done", "owner": "", "tool_version": "", "created_at": 0.1}))  # fmt: skip
        conn.execute(insert(tokens).values(name="ci", hash="f" * 64, created_at=1.0))
        conn.execute(insert(expectations).values(draft="ä\u2028", ordinal=0, value=2.195, bonus="yes", workload="", link=""))  # fmt: skip
        conn.execute(insert(acks).values(scope="cell", series_key="s", state="broken", reason="x", created_at=1 / 3))
    return store


def dumped(store: Store) -> bytes:
    out = io.BytesIO()
    store.dump.write(out)
    return out.getvalue()


def test_a_restored_database_gives_the_same_bytes(store: Store, tmp_path: Path) -> None:
    data = dumped(filled(store))
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    assert other.dump.restore(io.BytesIO(data), "d") == gzip.decompress(data).count(b"\n[")
    assert dumped(other) == data == dumped(store)
    assert list(other.read.results()) == list(store.read.results())
    assert other.read.run("good-1").samples == store.read.run("good-1").samples
    other.runs.save(run("later", cell("0.33.0"), sample(), at=3000.0))
    other.close()


def test_rows_are_numbered_on_after_a_restore(store: Store, tmp_path: Path) -> None:
    other = filled(open_store(f"sqlite:///{tmp_path}/other.db"))
    store.dump.restore(io.BytesIO(dumped(other)), "d")
    store.runs.save(run("later", cell("0.33.0"), sample(), at=3000.0))
    assert [row.run_id for row in store.read.results()] == ["base-1", "good-1", "bad-1", "later"]
    other.close()


@pytest.fixture
def sqlite(migrated: Path, tmp_path: Path) -> Store:
    (tmp_path / "one.db").write_bytes(migrated.read_bytes())
    return open_store(f"sqlite:///{tmp_path}/one.db")


def test_no_secret_is_in_it(sqlite: Store) -> None:
    text = gzip.decompress(dumped(filled(sqlite))).decode()
    assert not any(word in text for word in ("hf_abc", "s3cret", "f" * 64, '"tokens"', '"gpu_leases"'))
    assert "HF_TOKEN" in text


def test_only_an_empty_database_is_filled(sqlite: Store) -> None:
    data = dumped(filled(sqlite))
    with pytest.raises(ConfigError, match="not empty"):
        sqlite.dump.restore(io.BytesIO(data), "d")
    assert dumped(sqlite) == data


def lines(data: bytes) -> list[bytes]:
    return gzip.decompress(data).splitlines(keepends=True)


def edited(data: bytes, what: str) -> bytes:
    found = lines(data)
    head = json.loads(found[0])
    row = next(i for i, line in enumerate(found) if line.startswith(b"["))
    return {
        "cut": data[: len(data) // 2],
        "early": gzip.compress(b"".join(found[:-1])),
        "fewer": gzip.compress(b"".join(found[:row] + found[row + 1 :])),
        "short": gzip.compress(b"".join([*found[:row], b"[1]\n", *found[row + 1 :]])),
        "format": gzip.compress(json.dumps(head | {"format": 9}).encode() + b"\n" + b"".join(found[1:])),
        "schema": gzip.compress(json.dumps(head | {"schema": "0001"}).encode() + b"\n" + b"".join(found[1:])),
        "table": gzip.compress(b"".join(found).replace(b'{"table":"runs"', b'{"table":"tokens"')),
        "column": gzip.compress(b"".join(found).replace(b'"run_id"', b'"bun_id"')),
        "none": gzip.compress(b"hello\n"),
        "plain": b"hello\n",
    }[what]


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        ("cut", "damaged"), ("early", "ends too early"), ("fewer", "rows were written"), ("short", "1 values for"),
        ("format", "its format is 9"), ("schema", "its schema is '0001'"), ("table", "no table 'tokens'"),
        ("column", "other columns"), ("none", "no JSON"), ("plain", "damaged"),
    ],
)  # fmt: skip
def test_what_is_no_whole_dump_restores_nothing(sqlite: Store, tmp_path: Path, what: str, cause: str) -> None:
    data = edited(dumped(filled(sqlite)), what)
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    with pytest.raises(ConfigError, match=cause):
        other.dump.restore(io.BytesIO(data), "d")
    assert list(other.read.results()) == [] and len(list(read_dump(io.BytesIO(dumped(other)), "d"))) == 0
    other.close()


def test_a_dump_is_known_by_its_beginning(sqlite: Store) -> None:
    assert is_dump(io.BytesIO(dumped(sqlite)))
    assert not any(is_dump(io.BytesIO(data)) for data in (b"", b"\x1f\x8b", b"text", gzip.compress(b"log\n" * 99)))
