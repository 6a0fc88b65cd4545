"""A login to the hub and a server's own secret: not in the database, the logs, the rows, nor on any command line."""

import gzip
from contextlib import suppress
from pathlib import Path

import psutil

from tests.e2e.kit import place, servers_of, toml

TOKEN, KEY = "words-that-name-nobody-4711", "words-that-open-nothing-1174"


def seen_while_it_runs(here_folder: Path, sweep: psutil.Popen) -> list[dict[str, str]]:
    """Environments of the servers; fails when a secret stands on any command line."""
    environs = {}
    while sweep.poll() is None:
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                assert not any(TOKEN in word or KEY in word for word in process.cmdline())
        for server in servers_of(here_folder):
            with suppress(psutil.Error, OSError):
                environs[server.pid] = server.environ()
    return list(environs.values())


def test_they_are_found_nowhere(tmp_path: Path) -> None:
    here = place(tmp_path, "1.0.0")
    text = toml({"token_s": 0.003}, versions='"1.0.0"')
    here.write(text.replace("env = {", f'env = {{ ENGINE_API_KEY = "{KEY}",'))
    command, env = here.command("sweep", "--db", f"sqlite:///{tmp_path}/s.db"), here.env | {"HF_TOKEN": TOKEN}
    with (tmp_path / "said").open("w") as said:
        sweep = psutil.Popen(command, cwd=here.folder, env=env, stdout=said, stderr=said)
        servers = seen_while_it_runs(here.folder, sweep)
    assert sweep.wait() == 0, (tmp_path / "said").read_text()
    assert servers and all(s["ENGINE_API_KEY"] == KEY and "HF_TOKEN" not in s for s in servers)
    rows = here.run("results", "--json", "--db", f"sqlite:///{tmp_path}/s.db")
    assert rows.stdout.count('"outcome": "ok"') == 2
    config = here.folder / "matrix.toml"
    files = [p for p in tmp_path.rglob("*") if p.is_file() and p != config and not p.is_relative_to(here.wheels)]
    assert any(p.suffix == ".gz" for p in files), "no log was kept"
    for path in files:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert TOKEN.encode() not in data and KEY.encode() not in data, path
    assert TOKEN not in rows.stdout and KEY not in rows.stdout
