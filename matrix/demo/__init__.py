"""The demo: tiny models, and the matrix file that sweeps them."""

from importlib.resources import files
from pathlib import Path

CONFIG = Path(str(files(__name__) / "matrix.toml"))
