"""What installers' last words mean. The texts are what uv 0.13.9, uv 0.5 and pip 26 print."""

from pathlib import Path

import pytest

from matrix.core.errors import BuildError, InfraError
from matrix.executors.venv_failures import Failure, error, kind, sentence

NO_VERSION = """Using Python 3.11.7 environment at: e1
error: No solution found when resolving dependencies
  cause: Because there is no version of six==99.0 and you require six==99.0, we can conclude that your requirements are unsatisfiable.
"""
NO_VERSION_OLD = """  × No solution found when resolving dependencies:
  ╰─▶ Because there is no version of six==99.0 and you require six==99.0, we
      can conclude that your requirements are unsatisfiable.
"""
NO_ABI = """error: No solution found when resolving dependencies
  cause: Because numpy==1.10.0 has no wheels with a matching Python ABI tag (e.g., `cp311`) and you require numpy==1.10.0, we can conclude that your requirements are unsatisfiable.

hint: You require CPython 3.11 (`cp311`), but we only found wheels for `numpy` (v1.10.0) with the following Python ABI tags: `cp26m`, `cp35m`
"""
DNS = """error: Request failed after 3 retries in 8.5s
  cause: Failed to fetch: https://no.such.host.invalid/simple/six/
  cause: error sending request for url (https://no.such.host.invalid/simple/six/)
  cause: client error (Connect)
  cause: dns error
  cause: error resolving DNS
  cause: failed to lookup address information: Name or service not known
"""
REFUSED = """error: Failed to fetch: http://127.0.0.1:9/simple/six/
  cause: error sending request for url (http://127.0.0.1:9/simple/six/)
  cause: client error (Connect)
  cause: tcp connect error
  cause: Connection refused (os error 111)
"""
OFFLINE = """error: No solution found when resolving dependencies
  cause: Because six was not found in the cache and you require six==1.16.0, we can conclude that your requirements are unsatisfiable.

hint: Packages were unavailable because the network was disabled. When the network is disabled, registry packages may only be read from the cache.
"""
DISK = """Resolved 1 package in 3ms
error: Failed to download `stub-big==1.0`
  cause: Failed to extract archive:
         /links/stub_big-1.0-py3-none-any.whl
  cause: I/O operation failed during extraction
  cause: failed to write to file
         `/disk/cache/uv/.tmpgOZL4p/stub_big.bin`:
         No space left on device (os error 28)
"""
PIP_NO_VERSION = """ERROR: Could not find a version that satisfies the requirement six==99.0 (from versions: 1.0, 1.1)
ERROR: No matching distribution found for six==99.0
"""
BROKEN_SOURCE = """error: Failed to build `thing==1.0`
  cause: The build backend returned an error
  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)

[stderr]
SyntaxError: invalid syntax
"""


@pytest.mark.parametrize(
    ("text", "expected", "type_"),
    [
        (NO_VERSION, Failure.UNSATISFIABLE, BuildError),
        (NO_VERSION_OLD, Failure.UNSATISFIABLE, BuildError),
        (NO_ABI, Failure.UNSATISFIABLE, BuildError),
        (PIP_NO_VERSION, Failure.UNSATISFIABLE, BuildError),
        (BROKEN_SOURCE, Failure.OTHER, BuildError),
        (DNS, Failure.NETWORK, InfraError),
        (REFUSED, Failure.NETWORK, InfraError),
        (OFFLINE, Failure.NETWORK, InfraError),
        (DISK, Failure.DISK, InfraError),
    ],
)
def test_machine_failures_are_told_from_missing_versions(
    text: str, expected: Failure, type_: type[BuildError] | type[InfraError]
) -> None:
    assert kind(text) is expected
    assert type(error("six", text, Path("build.log"))) is type_


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NO_VERSION, "No solution found when resolving dependencies: Because there is no version of six==99.0"),
        (NO_VERSION_OLD, "we can conclude that your requirements are unsatisfiable."),
        (DNS, "https://no.such.host.invalid/simple/six/: failed to lookup address information: Name or service"),
        (DISK, "No space left on device (os error 28)"),
        (PIP_NO_VERSION, "No matching distribution found for six==99.0"),
        (BROKEN_SOURCE, "Failed to build `thing==1.0`: The build backend returned an error: Call to"),
        ("", "the installer said nothing"),
    ],
)
def test_one_sentence_names_what_and_why(text: str, expected: str) -> None:
    assert expected in sentence(text)
    assert "\n" not in sentence(text)
