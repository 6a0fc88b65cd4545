"""Whether two names mean one model, and whether a claim is about what was asked."""

import re
from collections.abc import Iterable

from matrix.core.answer import Claim, Evidence, Question

UNSTATED = "unknown"
"""The engine of a report that names none: it answers no question, but may be the nearest evidence."""
_HEX = re.compile(r"[0-9a-f]{8,64}")
_METHODS = {"standalone": "draft_model", "nextn": "mtp"}


def plain_name(name: str) -> str:
    """What names are compared by: the last part of a hub id or path, without case and its trailing slash."""
    return name.rstrip("/").rpartition("/")[2].casefold()


def is_hash(asked: str) -> bool:
    """True for what may be a content hash or its first eight or more digits."""
    return _HEX.fullmatch(asked) is not None


def same_model(asked: str, name: str | None, content: str | None = None) -> bool:
    """True for one name in two spellings, and for a content hash or its first eight or more digits."""
    if content and is_hash(asked) and content.startswith(asked):
        return True
    return name is not None and plain_name(asked) == plain_name(name)


def family(asked: str, names: Iterable[str]) -> list[str]:
    """The names that `asked` begins, up to a dash: `Qwen2.5-VL` means its sizes; sorted."""
    start = plain_name(asked) + "-"
    return sorted({name for name in names if plain_name(name).startswith(start)})


def plain_method(name: str) -> str:
    """Our name of a method, whoever spells it: EAGLE-3, EAGLE3 and eagle3 are one."""
    word = name.casefold().replace(" ", "").replace("-", "")
    return _METHODS.get(word, word)


def differing(claim: Claim, asked: Question) -> tuple[str, ...]:
    """What of the question (its model aside) the claim is not about, in a fixed order; empty where it fits.

    What the engines' source tells holds for whatever it leaves open. A report that does not name its hardware or its k
    is about any, and says so; one that does not name its draft or method may be about another.
    """
    open_ = claim.evidence is Evidence.KNOWN
    checks = (
        ("k", asked.k is None or claim.k is None or claim.k == asked.k),
        ("hardware", asked.gpu is None or claim.hardware is None or asked.gpu.casefold() in claim.hardware.casefold()),
        ("method", _method_fits(claim, asked.method, open_)),
        ("draft", _draft_fits(claim, asked.draft, open_)),
        ("engine", claim.engine != UNSTATED and claim.engine == (asked.engine or claim.engine).casefold()),
    )
    return tuple(name for name, fits in checks if not fits)


def _method_fits(claim: Claim, asked: str | None, open_: bool) -> bool:
    if asked is None or claim.method is None:
        return asked is None or open_
    return plain_method(asked) == claim.method


def _draft_fits(claim: Claim, asked: str | None, open_: bool) -> bool:
    if asked is None or (open_ and claim.draft is None):
        return True
    return same_model(asked, claim.draft, claim.draft_content)
