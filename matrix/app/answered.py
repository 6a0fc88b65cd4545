"""The answer as `matrix compat --json` and the API print it. The keys are a contract; None is not known."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One claim. `evidence` is measured, reported or known; `revision` one version, `versions` what was said of it.

    `state` is one of a series, or `intact` for releases whose source shows nothing against them.
    `noise` is a share of `accept_length`; `last_tested` a day (YYYY-MM-DD, UTC). `bonus` tells whether the length
    counts the bonus token. `differs` names what is other than asked: then the claim is only an inference.
    """

    engine: str
    revision: str | None
    versions: str | None
    evidence: str
    state: str
    target: str
    draft: str | None
    method: str | None
    hardware: str | None
    k: int | None
    workload: str | None
    accept_length: float | None
    bonus: str
    noise: float | None
    speedup: float | None
    last_tested: str | None
    link: str | None
    reason: str
    differs: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Recommended(EvidenceView):
    """The first choice with what is needed to run it.

    `pins` are requirements for pip: of a measured run its whole lock. `image` and `digest` are those of what was
    measured, None where it was no image; of a report the image that is published of its version, without a digest.
    `install` are the shell lines that install it.
    """

    image: str | None = None
    digest: str | None = None
    pins: list[str] = field(default_factory=list)
    launch: str | None = None
    install: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Two claims about one revision that cannot both be right; the answer goes by `kept`."""

    kept: EvidenceView
    other: EvidenceView


@dataclass(frozen=True, slots=True)
class Answer:
    """`answer` is recommended, reported, broken, excluded or not-tested: see `matrix.plan.compat`.

    `model`, `draft`, `engine`, `method`, `gpu` and `k` repeat the question; `models` are the names it was found under.
    """

    model: str
    draft: str | None
    engine: str | None
    method: str | None
    gpu: str | None
    k: int | None
    answer: str
    sentence: str
    recommended: Recommended | None
    next_best: list[EvidenceView]
    broken: list[EvidenceView]
    known: list[EvidenceView]
    conflicts: list[ConflictView]
    nearest: list[EvidenceView]
    models: list[str]
