"""A reported launch line, release by release: one file, its plan with and without GPUs, and each release's flags."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from matrix.app.planning import Plan, make_plan
from matrix.app.source import Source
from matrix.app.sweep import run_sweep
from matrix.core.errors import ConfigError
from matrix.core.hardware import Hardware
from matrix.core.recipe import Placement
from matrix.engines.fromcommand import convert
from matrix.engines.registry import adapter_for
from matrix.sources import hardware, package_index
from matrix.sources.hardware import Gpu, Gpus
from matrix.store import Store, open_store
from tests.app.build import FakeExecutor, Seen
from tests.engines.cells import H100_CUDA_12, H200, NO_GPU

SGLANG = """python3 -m sglang.launch_server --model-path {models}/target --trust-remote-code \\
  --speculative-algorithm EAGLE3 --speculative-draft-model-path {models}/head --speculative-num-steps 4 \\
  --speculative-eagle-topk 1 --speculative-num-draft-tokens 24 --mem-fraction-static 0.8 --cuda-graph-max-bs 4 \\
  --tp 1 --dtype bfloat16 --host 0.0.0.0 --port 30000"""
VLLM = """vllm serve {models}/target --max-model-len 8192 --trust-remote-code --speculative-config
'{{"method": "eagle3", "model": "{models}/head", "num_speculative_tokens": 4, "prefill_token_shift": false}}'"""
LINES = {"sglang": SGLANG, "vllm": VLLM}
RELEASES = {
    "sglang": ("0.5.3", "0.5.4", "0.5.5", "0.5.5.post3", "0.5.6"),
    "vllm": ("0.11.0", "0.12.0", "0.13.0", "0.14.0", "0.15.0", "0.16.0"),
}
PLACE = Placement("/m/target", "/m/head", "127.0.0.1", 8123, "run-1")


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name in ("target", "head"):
        (tmp_path / "models" / name).mkdir(parents=True)
        (tmp_path / "models" / name / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    return tmp_path / "models"


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_index, "versions", lambda project, *_, **__: list(RELEASES[project]))


def plan_of(
    engine: str, models: Path, machine: Hardware, monkeypatch: pytest.MonkeyPatch, store: Store | None = None
) -> Plan:
    monkeypatch.setattr(hardware, "detect", lambda: machine)
    file = models.parent / f"{engine}.toml"
    file.write_text(convert(LINES[engine].format(models=models), RELEASES[engine]).toml)
    executor = FakeExecutor()
    executor.name = "venv"
    return make_plan(Source(file), executor, store)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
@pytest.mark.parametrize("machine", [H200, H100_CUDA_12], ids=["H200", "H100"])
def test_every_release_is_to_do_where_there_is_a_gpu(
    engine: str, machine: Hardware, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(engine, models, machine, monkeypatch)
    assert [p.cell.revision.version for p in plan.cells] == [v for v in RELEASES[engine] for _ in range(2)]
    assert {p.cell.spec.name for p in plan.cells} == {"baseline", "eagle3-k4"}
    assert [p.unsupported for p in plan.todo] == [None] * 2 * len(RELEASES[engine])


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_without_a_gpu_each_says_why_it_is_not_applicable(
    engine: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(engine, models, NO_GPU, monkeypatch)
    assert len(plan.cells) == 2 * len(RELEASES[engine])
    assert all("no NVIDIA GPU" in (p.unsupported or "") for p in plan.cells)
    assert plan.estimate.builds == 0


def test_what_was_refused_is_to_do_once_the_machine_can_run_it(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python that runs this is no part of the keys: with another one the same cell can be tried."""
    store = open_store(f"sqlite:///{models.parent}/matrix.db")
    seen = Gpus((Gpu("NVIDIA H200", "GPU-1", 140.0, "9.0"),), H200.driver, H200.cuda)
    monkeypatch.setattr(hardware, "gpus", lambda: seen)
    old = plan_of("vllm", models, replace(H200, python="3.14.0"), monkeypatch, store)
    assert all("needs Python" in (p.unsupported or "") for p in old.cells)
    run_sweep(old, FakeExecutor(), store, Seen())
    again = plan_of("vllm", models, replace(H200, python="3.14.0"), monkeypatch, store)
    assert again.todo == [] and all(p.known for p in again.cells)
    new = plan_of("vllm", models, H200, monkeypatch, store)
    assert [p.content_key for p in new.todo] == [p.content_key for p in old.cells]
    outcome = run_sweep(new, FakeExecutor(), store, Seen())
    assert (outcome.runs, outcome.known) == (len(new.cells), 0)
    assert plan_of("vllm", models, H200, monkeypatch, store).todo == []
    store.close()


@pytest.mark.parametrize("version", RELEASES["sglang"])
def test_sglang_is_launched_with_the_flags_of_the_line(
    version: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = _launched("sglang", version, models, monkeypatch)
    pairs = dict(pairwise(args))
    assert {a.removeprefix("--speculative-"): pairs[a] for a in args if a.startswith("--speculative-")} == {
        "algorithm": "EAGLE3",
        "draft-model-path": "/m/head",
        "num-steps": "4",
        "eagle-topk": "1",
        "num-draft-tokens": "5",
    }
    given = {"--mem-fraction-static": "0.8", "--cuda-graph-max-bs": "4", "--tp-size": "1", "--dtype": "bfloat16"}
    assert {name: pairs[name] for name in given} == given
    assert "--trust-remote-code" in args
    assert (pairs["--host"], pairs["--port"]) == ("127.0.0.1", "8123")


@pytest.mark.parametrize("version", RELEASES["vllm"])
def test_vllm_is_launched_without_the_key_that_no_release_has(
    version: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = _launched("vllm", version, models, monkeypatch)
    pairs = dict(pairwise(args))
    assert pairs["--speculative-config"] == '{"method": "eagle3", "num_speculative_tokens": 4, "model": "/m/head"}'
    assert pairs["--max-model-len"] == "8192"
    assert "--trust-remote-code" in args
    assert "prefill_token_shift" not in " ".join(args)


@pytest.mark.parametrize(
    ("engine", "others"),
    [
        ("sglang", {"--speculative-num-draft-tokens": {"changed"}}),
        ("vllm", {"prefill_token_shift": {"ignored", "refused"}}),
    ],
)
def test_what_a_release_does_otherwise_is_explained(engine: str, others: dict[str, set[str]], models: Path) -> None:
    made = convert(LINES[engine].format(models=models), RELEASES[engine])
    found: dict[str, set[str]] = {}
    for item in made.items:
        effects = {item.at(version) for version in RELEASES[engine]} - {"taken"}
        if effects:
            found[item.name] = effects
            assert all(row.why for row in item.effects)
    assert found == others
    if engine == "vllm":
        shift = next(item for item in made.items if item.name == "prefill_token_shift")
        assert [shift.at(v) for v in RELEASES["vllm"]] == ["ignored"] * 5 + ["refused"]


def _launched(engine: str, version: str, models: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    plan = plan_of(engine, models, H200, monkeypatch)
    cell = next(p.cell for p in plan.cells if p.cell.revision.version == version and not p.cell.spec.is_baseline)
    return adapter_for(engine).launch(cell, PLACE).args


@pytest.mark.parametrize(
    ("engine", "flags"), [("sglang", '["--port", "1"]'), ("vllm", '["--enforce-eager", "--port=1"]')]
)
def test_a_flag_that_every_run_sets_itself_is_refused_at_its_line(
    engine: str, flags: str, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "detect", lambda: NO_GPU)
    file = models.parent / "own.toml"
    file.write_text(
        f'[engines.{engine}]\ninstall = "pip"\nversions = ["1.0.0"]\nflags = {flags}\n[targets.t]\npath = "models/target"\n'
    )
    with pytest.raises(ConfigError, match="--port") as caught:
        make_plan(Source(file), FakeExecutor(), None)
    assert (caught.value.where.line, caught.value.where.key) == (4, f"engines.{engine}.flags")
