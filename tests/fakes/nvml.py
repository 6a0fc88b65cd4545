"""NVIDIA's management library without a GPU: devices as a test describes them, asked as the bindings are asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

GIB = 2**30


@dataclass
class Card:
    """One device; `processes` are (pid, GiB or None)."""

    uuid: str
    used: float = 0.2
    total: float = 140.0
    name: str = "NVIDIA H200"
    processes: Sequence[tuple[int, float | None]] = ()
    tells_processes: bool = True


@dataclass
class Nvml:
    """Stands where the module `pynvml` does. `broken` fails as a driver does that was replaced under its module."""

    cards: list[Card]
    driver: str = "570.124.06"
    cuda: int = 12080
    names: dict[int, str] = field(default_factory=dict)
    broken: bool = False
    open: int = 0

    class NVMLError(Exception):
        """Base of the library's errors."""

    def nvmlInit(self) -> None:  # noqa: N802
        if self.broken:
            raise self.NVMLError("RM has detected an NVML/RM version mismatch.")
        self.open += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        self.open -= 1

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Card:  # noqa: N802
        assert self.open, "asked before nvmlInit"
        return self.cards[index]

    def nvmlDeviceGetName(self, card: Card) -> bytes:  # noqa: N802
        return card.name.encode()

    def nvmlDeviceGetUUID(self, card: Card) -> str:  # noqa: N802
        return card.uuid

    def nvmlDeviceGetMemoryInfo(self, card: Card) -> Any:  # noqa: N802
        return SimpleNamespace(total=int(card.total * GIB), used=int(card.used * GIB))

    def nvmlDeviceGetCudaComputeCapability(self, card: Card) -> tuple[int, int]:  # noqa: N802
        return 9, 0

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:  # noqa: N802
        return self.cuda

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        return self.driver

    def nvmlDeviceGetComputeRunningProcesses(self, card: Card) -> list[Any]:  # noqa: N802
        if not card.tells_processes:
            raise self.NVMLError("Not Supported")
        return [
            SimpleNamespace(pid=pid, usedGpuMemory=None if held is None else int(held * GIB))
            for pid, held in card.processes
        ]

    def nvmlSystemGetProcessName(self, pid: int) -> bytes:  # noqa: N802
        if pid not in self.names:
            raise self.NVMLError("Not Found")
        return self.names[pid].encode()
