"""GPUs of this host, and whether their driver runs what the engines publish."""

from collections.abc import Iterator, Mapping

from packaging.version import Version

from matrix.app.doctor.asks import Asks
from matrix.app.doctor.finding import Finding, fail, ok, warn
from matrix.core.hardware import Hardware
from matrix.engines import sglang_recipe_rows, vllm_recipe_rows
from matrix.engines.drivers import oldest_driver, runs, served_cuda
from matrix.sources.hardware import Gpus
from matrix.stats.words import count


def devices(asks: Asks) -> Iterator[Finding]:
    found = asks.gpus()
    if not found.devices:
        fix = (
            "for GPU builds install NVIDIA's driver and see that `nvidia-smi` lists the devices, here and in containers"
        )
        yield warn("gpu", "no NVIDIA GPU is seen here: builds for CPUs alone can run", fix)
        return
    yield _use(found, asks.in_use())
    yield _driver(found)


def _use(found: Gpus, used: Mapping[str, str]) -> Finding:
    kinds = ", ".join(dict.fromkeys(gpu.name for gpu in found.devices))
    text = f"{count(len(found.devices), 'GPU')}: {kinds}"
    busy = [f"GPU {i} has {used[gpu.uuid]}" for i, gpu in enumerate(found.devices) if gpu.uuid in used]
    if not busy:
        return ok("gpu", f"{text}, all free")
    fix = (
        "unless a sweep of this database uses them: end these programs, or leave the GPUs out with CUDA_VISIBLE_DEVICES"
    )
    return warn("gpu", f"{text}; {'; '.join(busy)}", fix)


def _driver(found: Gpus) -> Finding:
    served = served_cuda(Hardware(cpu="", cores=0, gpu="x", gpus=1, driver=found.driver, cuda=found.cuda))
    newest, oldest = _image_cudas()
    if not served:
        fix = "see whether `nvidia-smi` names a driver and a CUDA version"
        return warn("driver", "which CUDA version the driver serves is unknown", fix)
    text = f"driver {found.driver or 'unknown'} serves CUDA {served}"
    if runs(newest, served):
        return ok("driver", f"{text}: runs every published image, up to CUDA {newest}")
    fix = f"upgrade the driver to {oldest_driver(newest)} or newer"
    if runs(oldest, served):
        return warn("driver", f"{text}: too old for images of CUDA {newest}, older images run", fix)
    return fail("driver", f"{text}: too old for all published images (CUDA {oldest} to {newest})", fix)


def _image_cudas() -> tuple[str, str]:
    """The newest and the oldest CUDA version that a published image was built with."""
    every = sorted({row.topic for row in sglang_recipe_rows.IMAGES + vllm_recipe_rows.IMAGES}, key=Version)
    return every[-1], every[0]
