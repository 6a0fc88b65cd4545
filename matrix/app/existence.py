"""Refuses versions that no index has, before anything is built for them."""

from collections.abc import Iterable

from packaging.version import Version

from matrix.app.folders import cache_dir
from matrix.app.gather import DISTRIBUTIONS, Source
from matrix.core.cell import Cell
from matrix.core.errors import ConfigError, InfraError
from matrix.core.ports import Executor
from matrix.engines.registry import adapter_for
from matrix.plan.versions import is_exact
from matrix.sources import package_index, pip_settings


def check_versions(source: Source, cells: Iterable[Cell], executor: Executor) -> None:
    """Raises ConfigError, naming file, line and key, for a version to be built that the user's indexes lack.

    An index that does not answer is no reason to stop: a wheel folder or a cache may still have it.
    """
    for install, version in _unbuilt(cells, executor):
        project = DISTRIBUTIONS[install]
        try:
            known = package_index.versions(project, pip_settings.read(), prereleases=True, cache_dir=cache_dir())
        except InfraError:
            return
        if Version(version) not in {Version(v) for v in known}:
            raise _unknown(source, install, version, known)


def _unbuilt(cells: Iterable[Cell], executor: Executor) -> list[tuple[str, str]]:
    recipes = {adapter_for(c.revision.engine).recipe(c): (c.install, c.revision.version) for c in cells}
    return [names for recipe, names in recipes.items() if not recipe.site and not executor.built(recipe)]


def _unknown(source: Source, install: str, version: str, known: list[str]) -> ConfigError:
    table = next(n for n, t in source.config.engines.items() if t.install == install and _asks_for(t.versions, version))
    newest = ", ".join(known[-3:]) or "none"
    return ConfigError(
        f"{DISTRIBUTIONS[install]} {version} is in none of your package indexes",
        hint=f"the newest there: {newest}; `pip index versions {DISTRIBUTIONS[install]}` lists all",
        where=source.where("engines", table, "versions"),
    )


def _asks_for(versions: Iterable[str], version: str) -> bool:
    return any(is_exact(text) and Version(text) == Version(version) for text in versions)
