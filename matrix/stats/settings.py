"""The judge's thresholds; `docs/statistics.md` says where each comes from."""

from dataclasses import dataclass

CAUGHT = 5 / 3


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How much evidence a verdict needs.

    relevant         smallest change of accept length that matters, as a share (0.03 is 3 %)
    relevant_speed   the same of tokens per second
    alpha            one-sided p below which a change is significant once a comparison has all its boots
    first_share      share of `alpha` that a comparison of few boots may spend (`matrix.stats.answer.level`)
    sure             one-sided p below which a fall that must be caught is excluded, while more boots can be had
    doubt            one-sided p below which a relevant fall that is not significant leaves the state unknown
    false_discovery  largest q at which a significant fall stands in its sweep
    confidence       level of the stated intervals and of the collapse bound
    min_pairs        fewest common prompts a comparison may rest on
    max_prompts      prompts from which no more are asked for
    max_boots        boots a side from which no more are asked for
    min_steps        fewest verify steps that say anything: none of 30 accepted has the upper 95 % bound 3 / 30 = 0.1
    collapsed        accept length below which a draft does nothing (upper bound, bonus token included)
    resolution       least standard deviation assumed for one prompt's log ratio: about one draft token more or less
    assumed_noise    standard deviation between boots taken for the degrees of freedom that are missing to `least_df`
    least_df         degrees of freedom of measured noise from which nothing is assumed
    sibling_df       most degrees of freedom that the noise of sibling series counts for
    look_back        healthy revisions in a row that make up the reference, at most
    loop_share       share of prompts that newly loop, from which a rise is suspicious
    long             revisions from which a series is long: change points are sought, one low boot is no step
    tainted          flags of prompts whose counters hold another request's numbers; such prompts are left out
    """

    relevant: float = 0.03
    relevant_speed: float = 0.05
    alpha: float = 0.0003
    first_share: float = 0.25
    sure: float = 0.005
    doubt: float = 0.05
    false_discovery: float = 0.05
    confidence: float = 0.95
    min_pairs: int = 5
    max_prompts: int = 64
    max_boots: int = 28
    min_steps: int = 30
    collapsed: float = 1.1
    resolution: float = 0.01
    assumed_noise: float = 0.015
    least_df: float = 4
    sibling_df: float = 12
    look_back: int = 8
    loop_share: float = 0.25
    long: int = 12
    tainted: frozenset[str] = frozenset({"counters-late", "foreign-traffic"})

    @property
    def caught(self) -> float:
        """Fall of accept length that must not be missed: five where three matter."""
        return min(CAUGHT * self.relevant, 0.99)


DEFAULTS = JudgeSettings()
