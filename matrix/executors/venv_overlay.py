"""An environment with one commit's Python laid over what its base installed."""

from collections.abc import Callable

from matrix.core.errors import InfraError
from matrix.core.recipe import Overlay, Recipe
from matrix.executors.git_tree import Repository
from matrix.executors.overlay import lay_over, line, package_folder
from matrix.executors.overlay_needs import unmet_note
from matrix.executors.venv_copy import copy_environment, site_packages
from matrix.executors.venv_paths import Environment, Marker, marker_of
from matrix.executors.venv_shell import Shell


def lay_over_copy(
    base: Environment, env: Environment, recipe: Recipe, overlay: Overlay, shell: Shell, note: Callable[[str], None]
) -> Marker:
    """Fill `env` from the finished `base` and the overlay of `recipe`; the marker is returned, not written."""
    repository = Repository(env.path.parent.parent / "git", shell)
    note(f"laying commit {overlay.commit[:12]} over {recipe.name}")
    tree = repository.tree(overlay)
    copy_environment(base, env)
    package = package_folder(site_packages(env), overlay)
    archive = env.path / "overlay.tar"
    repository.archive(overlay, archive)
    lay_over(archive, package, env.path / "overlay.part")
    archive.unlink()
    below = base.marker()
    if below is None:
        raise InfraError(f"the environment {base.path} was removed while a commit was laid over it", hint="run again")
    lock = tuple(sorted([*below.lock, line(overlay, tree)]))
    unmet = unmet_note(repository, overlay, lock)
    for text in unmet:
        note(text)
    return marker_of(recipe, lock, below.python, (*below.notes, *unmet))
