"""How vLLM 0.8.5 to 0.33.0 are installed, by release.

The newest row of a topic stands first, and the first that holds counts.

Python, torch, C library and pins were read from the metadata of the published wheels, image tags from the release
pipeline and from pins in public repositories.
"""

from matrix.engines.quirks import Quirk

_SOURCE = "https://github.com/vllm-project/vllm/blob/v{}/{}"
_RELEASE = "https://github.com/vllm-project/vllm/releases/tag/v{}"
_PIPELINE = "https://github.com/vllm-project/vllm/blob/main/.buildkite/release-pipeline.yaml"
_INSTALL = "https://docs.vllm.ai/en/latest/getting_started/installation/gpu/"
_COMMON, _CUDA, _PROJECT = "requirements/common.txt", "requirements/cuda.txt", "pyproject.toml"


def _row(topic: str, since: str | None, until: str | None, what: str, reason: str, link: str) -> Quirk:
    return Quirk(topic, since, until, what, reason, link)


def _of(topic: str, since: str, what: str, reason: str, file: str) -> Quirk:
    return _row(topic, since, None, what, reason, _SOURCE.format(since, file))


PINS = (
    _row(
        "pin",
        None,
        "0.11.0",
        "transformers<5",
        "no upper bound; transformers 5 lacks `all_special_tokens_extended`",
        _SOURCE.format("0.11.0", _COMMON),
    ),
    _row(
        "pin",
        None,
        "0.22.1",
        "fastapi<0.137",
        "no upper bound; 0.23.0 is the first with this one",
        _SOURCE.format("0.23.0", _COMMON),
    ),
)

DATED = (
    _row(
        "dated",
        None,
        "0.30.0",
        "dated",
        "transformers and others have no upper bound; 0.31.0 bounds them",
        _SOURCE.format("0.31.0", _COMMON),
    ),
)

MACHINE = (
    _row("cuda", "0.20.0", None, "13.0", "the default wheel became a CUDA 13 build", _RELEASE.format("0.20.0")),
    _of("cuda", "0.9.0", "12.8", "torch 2.7 to 2.10, CUDA 12.8 or 12.9", _CUDA),
    _of("cuda", "0.8.5", "12.4", "torch 2.6", _CUDA),
    _of("glibc", "0.22.0", "2.28", "wheel tag manylinux_2_28", _PROJECT),
    _of("glibc", "0.21.0", "2.28", "wheel tag manylinux_2_24, but torch's is 2_28", _CUDA),
    _of("glibc", "0.20.0", "2.35", "wheel tag manylinux_2_35", _PROJECT),
    _of("glibc", "0.12.0", "2.31", "wheel tag manylinux_2_31", _PROJECT),
    _of("glibc", "0.9.0", "2.28", "wheel tag manylinux1, but torch's is 2_28", _CUDA),
    _of("python", "0.32.0", ">=3.11,<3.15", "metadata of the wheel", _PROJECT),
    _of("python", "0.20.0", ">=3.10,<3.15", "metadata of the wheel", _PROJECT),
    _of("python", "0.11.1", ">=3.10,<3.14", "metadata of the wheel", _PROJECT),
    _of("python", "0.10.2", ">=3.9,<3.14", "metadata of the wheel", _PROJECT),
    _of("python", "0.8.5", ">=3.9,<3.13", "metadata of the wheel", _PROJECT),
)

INDEXES = (
    _row("commit", None, None, "https://wheels.vllm.ai/{commit}", "a wheel of every commit on main", _INSTALL),
    _row("nightly", None, None, "https://wheels.vllm.ai/nightly", "the newest commit on main only", _INSTALL),
)

IMAGE = "vllm/vllm-openai"
IMAGES = (
    _row("13.0", "0.20.0", None, "v{version}", "the default image became CUDA 13", _RELEASE.format("0.20.0")),
    _row("12.9", "0.20.0", None, "v{version}-cu129", "the CUDA 12 image got a name of its own", _PIPELINE),
    _row("12.8", "0.9.0", "0.19.1", "v{version}", "CUDA 12.8 or 12.9", _SOURCE.format("0.9.0", "docker/Dockerfile")),
    _row("12.4", None, "0.8.5.post1", "v{version}", "CUDA 12.4", _SOURCE.format("0.8.5", "docker/Dockerfile")),
)
"""The topic is the CUDA version that the image was built with."""

NIGHTLY_IMAGES = (
    _row("13.0", "0.20.0.dev0", None, "nightly-{commit}", "the 14 newest are kept", _PIPELINE),
    _row("12.8", None, "0.20.0.dev0", "nightly-{commit}", "the 14 newest are kept", _PIPELINE),
)

ROWS = PINS + DATED + MACHINE + INDEXES + IMAGES + NIGHTLY_IMAGES
