"""Refuses versions that no index has, before anything is built for them."""

from collections.abc import Iterable
from functools import partial

from packaging.version import Version

from matrix.app.folders import cache_dir
from matrix.app.gather import Source
from matrix.app.revisions import distribution
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, InfraError
from matrix.core.ports import Executor
from matrix.engines.registry import adapter_for
from matrix.plan.versions import is_exact
from matrix.sources import package_index, pip_settings

Asked = tuple[str, str, str]
"""Engine, install and version."""


def check_versions(source: Source, cells: Iterable[Cell], executor: Executor) -> None:
    """Raises ConfigError, naming file, line and key, for a version to be built that the user's indexes lack.

    An index that does not answer is no reason to stop: a wheel folder or a cache may still have it. Builds from the
    engine project's own indexes, and images, were found where they lie or are not looked up.
    """
    for asked in _unbuilt(cells, executor):
        engine, install, version = asked
        project = distribution(engine, install)
        try:
            ask = partial(package_index.versions, prereleases=True, cache_dir=cache_dir(), say=source.say)
            known = ask(project, pip_settings.read())
        except InfraError:
            return
        if Version(version) not in {Version(v) for v in known}:
            raise _unknown(source, asked, known)


def _unbuilt(cells: Iterable[Cell], executor: Executor) -> list[Asked]:
    """What is to be installed from the user's indexes: a commit laid over a release asks for the release."""
    recipes = {adapter_for(c.revision.engine).recipe(c): c for c in cells}
    return [
        (cell.revision.engine, cell.install, cell.revision.base if recipe.overlay else cell.revision.version)
        for recipe, cell in recipes.items()
        if not recipe.site and not recipe.image and not recipe.indexes and not executor.built(recipe)
    ]


def _unknown(source: Source, asked: Asked, known: list[str]) -> ConfigError:
    engine, install, version = asked
    tables = [name for name, t in source.config.engines.items() if (t.engine or name, t.install) == (engine, install)]
    exact = [name for name in tables if _asks_for(source.config.engines[name].versions, version)]
    project = distribution(engine, install)
    newest = ", ".join(known[-3:]) or "none"
    return ConfigError(
        f"{project} {version} is in none of your package indexes",
        hint=f"the newest there: {newest}; `pip index versions {project}` lists all",
        where=source.where("engines", (exact or tables)[0], "versions"),
    )


def _asks_for(versions: Iterable[str], version: str) -> bool:
    return any(is_exact(text) and Version(text) == Version(version) for text in versions)
