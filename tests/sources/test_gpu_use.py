"""Which GPUs may be used and which are taken, from texts as nvidia-smi prints them."""

import os
from pathlib import Path

import pytest

from matrix.core.recipe import Device
from matrix.sources.gpu_use import devices, in_use, parse_use
from matrix.sources.hardware import Gpu, Gpus

FOUND = Gpus(tuple(Gpu("NVIDIA H200", f"GPU-{name}0000", 140.4) for name in "abc"))
MEMORY = "GPU-a0000, 4\nGPU-b0000, 73219\nGPU-c0000, 61004\n"
PROCESSES = "GPU-b0000, 4711, /usr/bin/python3\nGPU-b0000, 4712, VLLM::EngineCore\n"


@pytest.mark.parametrize(
    ("visible", "expected"),
    [(None, [0, 1, 2]), ("0,2", [0, 2]), ("GPU-b", [1]), ("", []), ("1, GPU-c0000", [1, 2]), ("7", []), ("-1", [])],
)
def test_what_is_visible_to_us_may_be_lent(visible: str | None, expected: list[int]) -> None:
    found = devices(FOUND, visible)
    assert [d.index for d in found] == expected
    assert all(d == Device(d.index, FOUND.devices[d.index].uuid) for d in found)


def test_memory_in_use_tells_that_a_gpu_is_taken_and_by_whom() -> None:
    assert parse_use(MEMORY, PROCESSES) == {
        "GPU-b0000": "71.5 GiB in use by python3 (pid 4711), VLLM::EngineCore (pid 4712)",
        "GPU-c0000": "59.6 GiB in use by processes that cannot be seen from here",
    }
    assert parse_use("GPU-a0000, [N/A]\nNo devices\n", "") == {}


def test_the_tool_on_the_path_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"#!/bin/sh\ncase \"$1\" in --query-gpu*) printf '{MEMORY}';; *) printf '{PROCESSES}';; esac\n"
    (tmp_path / "nvidia-smi").write_text(script.replace("\n'", "\\n'").replace("\nGPU", "\\nGPU"))
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert in_use() == parse_use(MEMORY, PROCESSES)
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho failed\nexit 9\n")
    assert in_use() == {}
