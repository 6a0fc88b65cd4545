"""What NVIDIA drivers and CUDA versions can run. The newest row stands first, and the first that holds counts."""

from matrix.engines.quirks import Quirk

_NOTES = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"
_TORCH = "https://github.com/pytorch/pytorch/blob/main/RELEASE.md"


def _driver(since: str, cuda: str) -> Quirk:
    return Quirk("driver", since, None, cuda, f"first driver that serves CUDA {cuda}", _NOTES)


DRIVERS = (
    _driver("580.65.06", "13.0"),
    _driver("575.51.03", "12.9"),
    _driver("570.26", "12.8"),
    _driver("565.57.01", "12.7"),
    _driver("560.28.03", "12.6"),
    _driver("555.42.02", "12.5"),
    _driver("550.54.14", "12.4"),
    _driver("545.23.06", "12.3"),
    _driver("535.54.03", "12.2"),
    _driver("530.30.02", "12.1"),
    _driver("525.60.13", "12.0"),
    _driver("450.80.02", "11.8"),
)
"""A Linux driver's version; `what` is the newest CUDA version it serves."""

CAPABILITIES = (
    Quirk("capability", "13.0", None, ">=7.5", "CUDA 13 dropped Maxwell, Pascal and Volta", _NOTES),
    Quirk("capability", "12.8", None, ">=7.0", "CUDA 12.8 is the first with Blackwell (10.0, 12.0)", _TORCH),
    Quirk("capability", None, "12.7", ">=7.0,<10", "Blackwell (10.0, 12.0) needs CUDA 12.8", _TORCH),
)
"""By the CUDA version of a build: the compute capabilities that its kernels are compiled for."""

ROWS = DRIVERS + CAPABILITIES
