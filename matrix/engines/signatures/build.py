"""Making the artifact: pip, uv, compilers, image builds."""

from matrix.core.outcome import Outcome
from matrix.engines.signature import row

_BUILD = Outcome.BUILD_FAILED

BUILD = (
    row(
        "index-unreachable",
        r"(?:dns|tcp connect) error|error sending request for url|ReadTimeoutError|IncompleteRead\(|invalid "
        r"peer certificate"
        r"|CERTIFICATE_VERIFY_FAILED",
        Outcome.INFRA,
        "the package index did not answer",
        "check the network and the index settings, then run again",
    ),
    row(
        "no-distribution",
        r"No matching distribution found for (?P<what>\S+)|Could not find a version that satisfies the requirement "
        r"(?P<req>\S+)|No solution found when resolving|ResolutionImpossible|Cannot install .{0,200}conflicting"
        r"|is not a supported wheel on this platform|requires-python|Requires-Python",
        _BUILD,
        "no build of the package fits this Python and platform {what}{req}",
        "check the version, and whether the index has builds for this Python and platform",
    ),
    row(
        "hash-mismatch",
        r"THESE PACKAGES DO NOT MATCH THE HASHES|Hash mismatch for",
        _BUILD,
        "a downloaded package is not the one that was recorded",
        "clear the cache, then look at who changed the file",
    ),
    row(
        "compile-failed",
        r"Failed to build (?P<what>[\w.-]+)|Failed building wheel for|Could not build wheels"
        r"|subprocess-exited-with-error"
        r"|metadata-generation-failed|ninja: build stopped|nvcc fatal|fatal error: \S+\.(?:h|hpp|cuh): No such file"
        r"|CMake Error|error: command '\S*(?:gcc|g\+\+|nvcc|cmake|cargo)\S*' failed|could not compile `"
        r"|error: can't find Rust compiler",
        _BUILD,
        "compiling the package failed {what}",
        "read the first compiler error above; use a wheel where there is one",
    ),
    row(
        "image-build",
        r"failed to solve: |executor failed running \[|returned a non-zero code: \d+|did not complete "
        r"successfully: exit code",
        _BUILD,
        "a step of the image build failed",
        "read the step's own output above",
    ),
)
