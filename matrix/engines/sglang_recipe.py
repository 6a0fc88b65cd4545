"""How an SGLang cell is installed: the package (release, nightly or commit), an image, or a folder."""

from matrix.core.cell import Cell
from matrix.core.recipe import Overlay, Recipe
from matrix.core.revision import Revision, RevisionKind
from matrix.engines.fitness import Build, unfit
from matrix.engines.images import Images, images_of
from matrix.engines.quirks import find, what
from matrix.engines.recipes import APT, GPU_BUILDS, IMAGE, image_recipe, unfit_image
from matrix.engines.release_dates import SGLANG, before
from matrix.engines.sglang_flags import gpus_of
from matrix.engines.sglang_recipe_rows import IMAGE as REPOSITORY
from matrix.engines.sglang_recipe_rows import (
    IMAGES,
    INDEXES,
    MACHINE,
    NIGHTLY_IMAGES,
    OVERLAYS,
    OVERRIDES,
    PACKAGE,
    PINS,
    PRERELEASE,
)
from matrix.engines.site import SITE, site_recipe

_MODULES = ("sglang.launch_server", "sglang.srt.entrypoints.http_server")


def sglang_recipe(cell: Cell) -> Recipe:
    """The cell's recipe; where the machine cannot run it, that of the newest build there is."""
    if cell.install == SITE:
        return site_recipe(cell)
    if cell.install == IMAGE:
        return image_recipe(cell, _images(cell))
    return _package(cell)


def sglang_unfit(cell: Cell) -> str | None:
    """Why this machine cannot install or run the cell's build; None where it can, and for what is there already."""
    if cell.install not in GPU_BUILDS:
        return None
    revision, images = cell.revision, _images(cell)
    if cell.install == IMAGE:
        nameless = 'its image has a date and a hash as its tag: use `install = "pip"`'
        return unfit_image(cell, images, gpus_of(cell), nameless)
    if _overlaid(revision) and find(OVERLAYS, "overlay", revision.base) is None:
        rule = OVERLAYS[0]
        return f"no wheel holds this commit and it is after {rule.until} ({rule.reason}): use a nightly, or build it"
    version = revision.base if _overlaid(revision) else revision.version
    wants = {topic: what(MACHINE, topic, version) for topic in ("cuda", "glibc", "python")}
    return unfit(cell, Build(gpus_of(cell), **wants, instead=images.advice))


def _package(cell: Cell) -> Recipe:
    """The package with what it needs to resolve; a commit's Python is laid over the release that it follows."""
    revision = cell.revision
    overlay = _overlay(cell) if _overlaid(revision) else None
    version = revision.base if overlay else revision.version
    nightly = "" if overlay or revision.kind is RevisionKind.RELEASE else version
    return Recipe(
        name="sglang-commit" if overlay else "sglang",
        requirements=(f"{what(PACKAGE, 'package', version)}=={version}", *(r.what for r in PINS if r.holds(version))),
        dockerfile="sglang-commit.Dockerfile" if overlay else "sglang.Dockerfile",
        apt=APT,
        modules=_MODULES,
        python=cell.python,
        prerelease=bool(nightly) or find(PRERELEASE, "prerelease", version) is not None,
        before="" if nightly else before(SGLANG, version),
        indexes=tuple(row.what for row in INDEXES if nightly and row.holds(version)),
        overlay=overlay,
        overrides=tuple(row.what for row in OVERRIDES if row.holds(version)),
    )


def _overlaid(revision: Revision) -> bool:
    """True for a commit that no nightly wheel holds."""
    return revision.kind is RevisionKind.COMMIT and ".dev" not in revision.version


def _overlay(cell: Cell) -> Overlay:
    folder = what(OVERLAYS, "overlay", cell.revision.base) or OVERLAYS[0].what
    return Overlay(cell.clone, cell.revision.commit, folder, "sglang", cell.cherry_pick)


def _images(cell: Cell) -> Images:
    return images_of(cell, REPOSITORY, IMAGES, NIGHTLY_IMAGES)
