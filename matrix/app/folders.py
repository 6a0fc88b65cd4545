"""Where things that may be made again are kept."""

import os
from pathlib import Path

from platformdirs import user_cache_path

from matrix.core.errors import ConfigError, Where


def cache_dir() -> Path:
    """Environments, downloaded lists and hashes: MATRIX_CACHE, or the user's cache folder."""
    chosen = os.environ.get("MATRIX_CACHE")
    if not chosen:
        return user_cache_path("specmatrix", appauthor=False)
    try:
        return Path(chosen).expanduser()
    except RuntimeError:
        where = Where(key="MATRIX_CACHE")
        raise ConfigError(f"`{chosen}` names an unknown user", hint="write the whole path", where=where) from None
