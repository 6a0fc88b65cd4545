"""Which GPUs may be used and which are taken, as NVML tells, or nvidia-smi in its place."""

import os
from pathlib import Path

import psutil
import pytest

from matrix.core.recipe import Device
from matrix.sources import nvml
from matrix.sources.gpu_use import Holder, Use, devices, in_use, parse_uses, uses
from matrix.sources.hardware import Gpu, Gpus
from tests.fakes.nvml import Card, Nvml

FOUND = Gpus(tuple(Gpu("NVIDIA H200", f"GPU-{name}0000", 140.4) for name in "abc"))
MEMORY = "GPU-a0000, 4, 143360\nGPU-b0000, 73216, 143360\nGPU-c0000, 61440, [N/A]\n"
PROCESSES = "GPU-b0000, 4711, /usr/bin/python3, 71680\nGPU-b0000, 4712, VLLM::EngineCore, [N/A]\n"


@pytest.mark.parametrize(
    ("visible", "expected"),
    [(None, [0, 1, 2]), ("0,2", [0, 2]), ("GPU-b", [1]), ("", []), ("1, GPU-c0000", [1, 2]), ("7", []), ("-1", [])],
)
def test_what_is_visible_to_us_may_be_lent(visible: str | None, expected: list[int]) -> None:
    found = devices(FOUND, visible)
    assert [d.index for d in found] == expected
    assert all(d == Device(d.index, FOUND.devices[d.index].uuid) for d in found)


HOLDERS = (Holder(4711, "python3", 70.0), Holder(4712, "VLLM::EngineCore", None))


def test_memory_in_use_tells_that_a_gpu_is_taken_and_by_whom() -> None:
    assert parse_uses(MEMORY, PROCESSES) == {
        "GPU-a0000": Use(4 / 1024, 140.0),
        "GPU-b0000": Use(73216 / 1024, 140.0, HOLDERS),
        "GPU-c0000": Use(60.0, None),
    }
    assert parse_uses("GPU-a0000, [N/A], 143360\nNo devices\n", "") == {}


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvml, "library", lambda: Nvml([], broken=True))


def test_the_tool_on_the_path_is_asked_where_the_library_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_library: None
) -> None:
    script = f"#!/bin/sh\ncase \"$1\" in --query-gpu*) printf '{MEMORY}';; *) printf '{PROCESSES}';; esac\n"
    (tmp_path / "nvidia-smi").write_text(script.replace("\n'", "\\n'").replace("\nGPU", "\\nGPU"))
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert uses() == parse_uses(MEMORY, PROCESSES)
    assert in_use() == {
        "GPU-b0000": "71.5 GiB in use by python3 (pid 4711), VLLM::EngineCore (pid 4712)",
        "GPU-c0000": "60.0 GiB in use by processes that cannot be seen from here",
    }
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho failed\nexit 9\n")
    assert uses() == {}


def test_the_library_tells_without_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    nameless = 2**30
    cards = [
        Card("GPU-a", 40.0, processes=[(4711, 39.5), (os.getpid(), None), (nameless, 0.5)]),
        Card("GPU-b", 0.3, tells_processes=False),
    ]
    fake = Nvml(cards, names={4711: "/usr/bin/python3"})
    monkeypatch.setattr(nvml, "library", lambda: fake)
    us = Holder(os.getpid(), psutil.Process().name(), None)
    far = Holder(nameless, "of another namespace", 0.5)
    assert uses() == {
        "GPU-a": Use(pytest.approx(40.0), 140.0, (Holder(4711, "python3", 39.5), us, far)),
        "GPU-b": Use(pytest.approx(0.3), 140.0),
    }
    assert fake.open == 0


def test_without_the_bindings_the_tool_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("no pynvml")

    monkeypatch.setattr(nvml, "library", missing)
    monkeypatch.setenv("PATH", "")
    assert uses() == {}
