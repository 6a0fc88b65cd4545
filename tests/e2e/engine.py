"""Runs `matrix` over real engines; environments are shared by all tests of one run of the test suite."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("MATRIX_TEST_CACHE") or Path(tempfile.gettempdir()) / f"specmatrix-tests-{os.getuid()}")
"""Kept between runs of the suite, as a person's own cache is."""


def matrix(folder: Path, *args: str, timeout: float = 1800, **env: str) -> subprocess.CompletedProcess[str]:
    """`matrix` with these arguments in `folder`, under the user's own index settings."""
    return subprocess.run(
        [sys.executable, "-m", "matrix", *args],
        cwd=folder,
        env=os.environ | {"MATRIX_CACHE": str(CACHE), "COLUMNS": "200"} | env,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
