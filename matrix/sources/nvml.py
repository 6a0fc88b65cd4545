"""NVIDIA's management library, which answers without a process being started. Imports and fails without a GPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def library() -> Any:
    """The bindings (the package `nvidia-ml-py`); ImportError where they are not installed."""
    import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return pynvml


@contextmanager
def session() -> Iterator[tuple[Any, list[Any]]]:
    """The library, ready to be asked, and a handle of each device in the order of the PCI bus.

    Whatever goes wrong raises one of the library's own errors, known only where it is installed: no driver, a driver
    that was replaced while its old module is loaded, a device that fell off the bus.
    """
    nvml = library()
    nvml.nvmlInit()
    try:
        yield nvml, [nvml.nvmlDeviceGetHandleByIndex(i) for i in range(nvml.nvmlDeviceGetCount())]
    finally:
        nvml.nvmlShutdown()


def text(value: str | bytes) -> str:
    """A name as the bindings give it: bytes in old ones."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
