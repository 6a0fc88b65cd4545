"""Where things that may be made again are kept."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_dir() -> Path:
    """Environments, downloaded lists and hashes: MATRIX_CACHE, or the user's cache folder."""
    chosen = os.environ.get("MATRIX_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("specmatrix", appauthor=False)
