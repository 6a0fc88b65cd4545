"""The judge's thresholds; `docs/statistics.md` says where each comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How much evidence a verdict needs.

    relevant     smallest change of accept length that matters, as a share (0.03 is 3 %)
    alpha        one-sided p below which a change is significant
    doubt        one-sided p below which a relevant fall that is not significant leaves the state unknown
    confidence   level of the stated intervals and of the collapse bound
    min_pairs    fewest common prompts a comparison may rest on
    min_steps    fewest verify steps that say anything: with none of 30 accepted, the upper 95 % bound is 3 / 30 = 0.1
    collapsed    accept length below which a draft does nothing (upper bound, bonus token included)
    resolution   least standard deviation assumed for one prompt's log ratio: about one draft token more or less
    loop_share   share of prompts that newly loop, from which a rise is suspicious
    tainted      flags of prompts whose counters hold another request's numbers; such prompts are left out
    """

    relevant: float = 0.03
    alpha: float = 0.001
    doubt: float = 0.05
    confidence: float = 0.95
    min_pairs: int = 5
    min_steps: int = 30
    collapsed: float = 1.1
    resolution: float = 0.01
    loop_share: float = 0.25
    tainted: frozenset[str] = frozenset({"counters-late", "foreign-traffic"})


DEFAULTS = JudgeSettings()
