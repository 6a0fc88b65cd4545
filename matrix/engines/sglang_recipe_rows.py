"""How SGLang 0.4.6.post5 to 0.5.23 are installed, by release.

The newest row of a topic stands first, and the first that holds counts.

Python, torch, C library and dependencies were read from the metadata of the published wheels, image tags from the
release workflows and from pins in public repositories.
"""

from matrix.engines.quirks import Quirk, Witness, proof

_PROJECT = "https://github.com/sgl-project/sglang/blob/v{}/python/pyproject.toml"
_INSTALL = "https://docs.sglang.io/get_started/install.html"
_WHEELS = "https://github.com/sgl-project/whl"
_WORKFLOW = "https://github.com/sgl-project/sglang/blob/v{}/.github/workflows/release-docker.yml"
_NIGHTLY = "https://github.com/sgl-project/sglang/blob/main/.github/workflows/release-docker-dev.yml"


def _row(
    topic: str,
    since: str | None,
    until: str | None,
    what: str,
    reason: str,
    link: str = "",
    witnesses: tuple[Witness, ...] = (),
) -> Quirk:
    return Quirk(topic, since, until, what, reason, link or _PROJECT.format(since or until), witnesses)


def _dist(since: str | None, until: str | None, topic: str, what: str, reason: str, *says: Witness) -> Quirk:
    """A row that the wheel's own metadata proves."""
    return _row(topic, since, until, what, reason, witnesses=says)


def _wants(text: str, present: str, absent: str = "") -> tuple[Witness, ...]:
    return proof("dist-info/METADATA", f"\nRequires-Dist: {text}", present, absent)


def _tagged(text: str, present: str, absent: str = "") -> tuple[Witness, ...]:
    return proof("dist-info/WHEEL", text, present, absent)


def _python(text: str, present: str, absent: str = "") -> tuple[Witness, ...]:
    return proof("dist-info/METADATA", f"\nRequires-Python: {text}\n", present, absent)


PACKAGE = (
    _dist("0.5.3", None, "package", "sglang", "torch is required", *_wants("torch==2.8.0\n", "0.5.3", "0.5.2")),
    _row(
        "package",
        None,
        None,
        "sglang[all]",
        "torch and kernels come with the extra",
        _PROJECT.format("0.5.2"),
        _wants('torch==2.8.0; extra == "srt"', "0.5.2", "0.5.3"),
    ),
)

PINS = (
    _dist(
        "0.5.3",
        "0.5.3.post1",
        "pin",
        "transformers==4.57.0",
        "withdrawn, so taken only where it is named itself",
        *_wants("transformers==4.57.0\n", "0.5.3 0.5.3.post1", "0.5.2 0.5.3.post3"),
    ),
    _dist(
        "0.5.3",
        "0.5.3",
        "pin",
        "flashinfer-python==0.4.0rc3",
        "a pre-release: taken only where it is named itself",
        *_wants("flashinfer_python==0.4.0rc3", "0.5.3", "0.5.3.post1"),
    ),
)

OVERRIDES = (
    _row(
        "override",
        "0.5.3",
        "0.5.4.post2",
        "apache-tvm-ffi==0.1.0",
        "flashinfer 0.4 wants 0.1.0b15, which was deleted from the public index",
        "https://github.com/flashinfer-ai/flashinfer/blob/v0.4.1/requirements.txt",
        _wants("flashinfer_python==0.4.", "0.5.3 0.5.4", "0.5.2 0.5.4.post3"),
    ),
)

PRERELEASE = (
    _row(
        "prerelease",
        "0.5.10rc0",
        None,
        "allow",
        "flash-attn-4 exists as pre-releases only",
        _INSTALL,
        _wants("flash-attn-4>=4.0.0b", "0.5.10 0.5.22", "0.5.9"),
    ),
)

MACHINE = (
    _dist("0.5.11", None, "cuda", "13.0", "torch 2.11 and newer", *_wants("torch==2.11.0", "0.5.11", "0.5.10")),
    _dist("0.5.0rc0", None, "cuda", "12.8", "torch 2.8 and 2.9", *_wants("torch==2.8.0", "0.5.1", "0.4.10.post2")),
    _dist("0.4.7", None, "cuda", "12.6", "torch 2.7.1", *_wants("torch==2.7.1", "0.4.8", "0.4.6.post5")),
    _dist(None, "0.4.6.post5", "cuda", "12.4", "torch 2.6", *_wants("torch==2.6.0", "0.4.6.post5", "0.4.8")),
    _dist("0.5.11", None, "glibc", "2.34", "wheel tag", *_tagged("manylinux_2_34", "0.5.11 0.5.22", "0.5.10")),
    _row("glibc", "0.4.7", None, "2.28", "pure Python, but torch's wheel tag is manylinux_2_28"),
    _dist("0.5.22", None, "python", ">=3.11,<3.14", "CPython 3.11 to 3.13", *_python(">=3.11", "0.5.22", "0.5.20")),
    _dist("0.5.11", None, "python", ">=3.10,<3.14", "CPython 3.10 to 3.13", *_tagged("cp311-", "0.5.11", "0.5.10")),
    _dist("0.5.1", None, "python", ">=3.10", "metadata of the wheel", *_python(">=3.10", "0.5.1", "0.4.10.post2")),
    _dist(None, "0.5.0rc2", "python", ">=3.8", "metadata of the wheel", *_python(">=3.8", "0.4.6.post5", "0.5.1")),
)

INDEXES = (
    _row("nightly", "0.5.11.dev0", None, "https://docs.sglang.ai/whl/cu130/", "nightly wheels for CUDA 13", _WHEELS),
    _row("nightly", None, "0.5.19", "https://docs.sglang.ai/whl/cu129/", "nightly wheels for CUDA 12.9", _WHEELS),
    _row("nightly", None, "0.5.10.post1", "https://sgl-project.github.io/whl/nightly/", "the earliest", _WHEELS),
)

OVERLAYS = (
    _dist(
        None,
        "0.5.10.post1",
        "overlay",
        "python/sglang",
        "pure Python up to here; 0.5.11 compiles Rust extensions",
        *_tagged("Root-Is-Purelib: true", "0.4.6.post5 0.5.10", "0.5.11"),
    ),
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
