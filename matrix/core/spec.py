"""How drafts are made: method, draft model and sizes."""

from dataclasses import dataclass
from enum import StrEnum

from matrix.core.model import Model


class Method(StrEnum):
    """Speculative methods, engine-neutral; `none` is the baseline, `unknown` that of a server that does not tell."""

    NONE = "none"
    EAGLE = "eagle"
    EAGLE3 = "eagle3"
    MTP = "mtp"
    DRAFT_MODEL = "draft_model"
    NGRAM = "ngram"
    SUFFIX = "suffix"
    MEDUSA = "medusa"
    UNKNOWN = "unknown"

    @property
    def needs_draft(self) -> bool:
        """True when the proposer is a model of its own (MTP layers live in the target)."""
        return self in (Method.EAGLE, Method.EAGLE3, Method.DRAFT_MODEL, Method.MEDUSA)

    @property
    def counts_draftless_steps(self) -> bool:
        """True when some steps carry no draft, so engine counters alone overstate the accept length."""
        return self in (Method.NGRAM, Method.SUFFIX)


@dataclass(frozen=True, slots=True)
class SpecConfig:
    """`k` is the most drafts that one verify step can accept (vLLM `num_speculative_tokens`, SGLang `num_steps`).

    `topk` and `draft_tokens` are as asked; SGLang's draft tokens count the root too. None means "not asked".
    """

    name: str
    method: Method
    draft: Model | None = None
    k: int | None = None
    topk: int | None = None
    draft_tokens: int | None = None
    extra: tuple[tuple[str, str | int | float | bool], ...] = ()

    @property
    def is_baseline(self) -> bool:
        return self.method is Method.NONE


BASELINE = SpecConfig(name="baseline", method=Method.NONE)
