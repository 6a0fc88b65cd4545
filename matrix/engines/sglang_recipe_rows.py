"""How SGLang 0.4.6 to 0.5.23 are installed, by release.

The newest row of a topic stands first, and the first that holds counts.

Python, torch, C library and dependencies were read from the metadata of the published wheels, image tags from the
release workflows and from pins in public repositories.
"""

from matrix.engines.quirks import Quirk

_PROJECT = "https://github.com/sgl-project/sglang/blob/v{}/python/pyproject.toml"
_INSTALL = "https://docs.sglang.io/get_started/install.html"
_WHEELS = "https://github.com/sgl-project/whl"
_WORKFLOW = "https://github.com/sgl-project/sglang/blob/v{}/.github/workflows/release-docker.yml"
_NIGHTLY = "https://github.com/sgl-project/sglang/blob/main/.github/workflows/release-docker-dev.yml"


def _row(topic: str, since: str | None, until: str | None, what: str, reason: str, link: str = "") -> Quirk:
    return Quirk(topic, since, until, what, reason, link or _PROJECT.format(since or until))


PACKAGE = (
    _row("package", "0.5.3", None, "sglang", "torch and kernels are base requirements"),
    _row("package", None, None, "sglang[all]", "torch and kernels come with the extra", _PROJECT.format("0.5.2")),
)

PINS = (
    _row("pin", "0.5.3", "0.5.3.post1", "transformers==4.57.0", "withdrawn, so taken only where it is named itself"),
    _row("pin", "0.5.3", "0.5.3", "flashinfer-python==0.4.0rc3", "a pre-release: taken only where it is named itself"),
)

OVERRIDES = (
    _row(
        "override",
        "0.5.3",
        "0.5.4.post2",
        "apache-tvm-ffi==0.1.0",
        "flashinfer 0.4 wants 0.1.0b15, which was deleted from the public index",
        "https://github.com/flashinfer-ai/flashinfer/blob/v0.4.1/requirements.txt",
    ),
)

PRERELEASE = (_row("prerelease", "0.5.10rc0", None, "allow", "flash-attn-4 exists as pre-releases only", _INSTALL),)

MACHINE = (
    _row("cuda", "0.5.11", None, "13.0", "torch 2.11 and newer"),
    _row("cuda", "0.5.0rc0", None, "12.8", "torch 2.8 and 2.9", _PROJECT.format("0.5.1")),
    _row("cuda", "0.4.7", None, "12.6", "torch 2.7.1"),
    _row("cuda", None, "0.4.6.post5", "12.4", "torch 2.6"),
    _row("glibc", "0.5.11", None, "2.34", "wheel tag manylinux_2_34: it holds Rust extensions"),
    _row("glibc", "0.4.7", None, "2.28", "pure Python, but torch's wheel tag is manylinux_2_28"),
    _row("python", "0.5.22", None, ">=3.11,<3.14", "wheels for CPython 3.11 to 3.13"),
    _row("python", "0.5.11", None, ">=3.10,<3.14", "wheels for CPython 3.10 to 3.13"),
    _row("python", "0.5.1", None, ">=3.10", "metadata of the wheel"),
    _row("python", None, "0.5.0rc2", ">=3.8", "metadata of the wheel", _PROJECT.format("0.4.10.post2")),
)

INDEXES = (
    _row("nightly", "0.5.11.dev0", None, "https://docs.sglang.ai/whl/cu130/", "nightly wheels for CUDA 13", _WHEELS),
    _row("nightly", None, "0.5.19", "https://docs.sglang.ai/whl/cu129/", "nightly wheels for CUDA 12.9", _WHEELS),
    _row("nightly", None, "0.5.10.post1", "https://sgl-project.github.io/whl/nightly/", "the earliest", _WHEELS),
)

OVERLAYS = (
    _row("overlay", None, "0.5.10.post1", "python/sglang", "pure Python up to here; 0.5.11 compiles Rust extensions"),
)

IMAGE = "lmsysorg/sglang"
IMAGES = (
    _row("13.0", "0.5.11", None, "v{version}", "plain tags are CUDA 13", _WORKFLOW.format("0.5.18")),
    _row("12.9", "0.5.11", "0.5.19", "v{version}-cu129", "0.5.19 is the last with CUDA 12", _INSTALL),
    _row("12.9", "0.5.3", "0.5.10.post1", "v{version}", "one tag for both architectures", _WORKFLOW.format("0.5.3")),
    _row("12.6", "0.4.8", "0.5.3rc2", "v{version}-cu126", "no plain tag", _WORKFLOW.format("0.5.2")),
    _row("12.4", None, "0.4.7.post1", "v{version}-cu124", "no plain tag", _WORKFLOW.format("0.4.6.post5")),
)
"""The topic is the CUDA version that the image was built with."""

NIGHTLY_IMAGES = (
    _row("13.0", "0.5.11.dev0", None, "nightly-dev-cu13-{date}-{hash}", "the 14 newest are kept", _NIGHTLY),
    _row("12.9", None, "0.5.19", "nightly-dev-{date}-{hash}", "the 14 newest are kept", _NIGHTLY),
)

ROWS = PACKAGE + PINS + OVERRIDES + PRERELEASE + MACHINE + INDEXES + OVERLAYS + IMAGES + NIGHTLY_IMAGES
