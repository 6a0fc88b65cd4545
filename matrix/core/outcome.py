"""What happened to a run, and what kind of evidence that is."""

from enum import StrEnum


class Tier(StrEnum):
    """Whose fact an outcome is; only `ok` and `engine` say something about the engine."""

    OK = "ok"
    ENGINE = "engine"
    AMBIGUOUS = "ambiguous"
    ENVIRONMENT = "environment"
    INFRA = "infra"


class Outcome(StrEnum):
    """The end of one run."""

    OK = "ok"
    LOAD_CRASH = "load-crash"
    SERVE_CRASH = "serve-crash"
    WRONG_OUTPUT = "wrong-output"
    MEASURED_NOTHING = "measured-nothing"
    OOM = "oom"
    HANG = "hang"
    BUILD_FAILED = "build-failed"
    CONFIG_ERROR = "config-error"
    UNSUPPORTED = "unsupported"
    ENVIRONMENT = "environment"
    INFRA = "infra"

    @property
    def tier(self) -> Tier:
        return _TIERS[self]

    @property
    def measured(self) -> bool:
        """True when a later sweep need not run the same content key again."""
        return self.tier in (Tier.OK, Tier.ENGINE, Tier.AMBIGUOUS) or self is Outcome.UNSUPPORTED


_TIERS = {
    Outcome.OK: Tier.OK,
    Outcome.LOAD_CRASH: Tier.ENGINE,
    Outcome.SERVE_CRASH: Tier.ENGINE,
    Outcome.WRONG_OUTPUT: Tier.ENGINE,
    Outcome.MEASURED_NOTHING: Tier.ENGINE,
    Outcome.OOM: Tier.AMBIGUOUS,
    Outcome.HANG: Tier.AMBIGUOUS,
    Outcome.BUILD_FAILED: Tier.ENVIRONMENT,
    Outcome.CONFIG_ERROR: Tier.ENVIRONMENT,
    Outcome.UNSUPPORTED: Tier.ENVIRONMENT,
    Outcome.ENVIRONMENT: Tier.ENVIRONMENT,
    Outcome.INFRA: Tier.INFRA,
}
