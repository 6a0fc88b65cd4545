"""Names for what is odd about a run as a whole: failures that no error message tells of."""

from enum import StrEnum


class Oddity(StrEnum):
    """Stored as `flags` of the run; the run's reason says each in a sentence with its numbers."""

    SPECULATION_OFF = "speculation-off"
    NO_COUNTERS = "no-counters"
    NEVER_ACCEPTED = "never-accepted"
    ALWAYS_ACCEPTED = "always-accepted"
    ABOVE_K = "above-k"
    LOOPS = "loops"
    GARBAGE = "garbage"
    DIVERGES = "diverges"
    OTHER_SETTINGS = "other-settings"
    LOG_DISAGREES = "log-disagrees"
    DRIFT = "drift"
    MEMORY_KEPT = "gpu-memory-kept"

    @property
    def meaning(self) -> str:
        """A few words, the same on every page."""
        return _MEANINGS[self]


_MEANINGS = {
    Oddity.SPECULATION_OFF: "speculation is configured, but no draft was ever verified",
    Oddity.NO_COUNTERS: "the server tells no draft counters",
    Oddity.NEVER_ACCEPTED: "no draft was ever accepted",
    Oddity.ALWAYS_ACCEPTED: "every draft was accepted",
    Oddity.ABOVE_K: "more drafts were accepted than k allows",
    Oddity.LOOPS: "texts repeat themselves where the baseline's do not, which raises acceptance",
    Oddity.GARBAGE: "texts are blank or unreadable",
    Oddity.DIVERGES: "texts leave the baseline's by more than rounding explains",
    Oddity.OTHER_SETTINGS: "the engine runs with other sizes than those asked for",
    Oddity.LOG_DISAGREES: "the engine's own log tells another accept length than its counters",
    Oddity.DRIFT: "the accept length changes while the server runs",
    Oddity.MEMORY_KEPT: "memory of its GPUs was still in use when the server had stopped",
}
