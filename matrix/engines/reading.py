"""One accept length read from a log, with what is known of its weight and its oddities."""

import re
from dataclasses import dataclass

NOT_A_NUMBER = "not-a-number"
BELOW_ONE = "below-one"
ABOVE_K = "above-k"
EXACTLY_ONE = "exactly-one"
EXACTLY_MAX = "exactly-max"
BONUS_ADDED = "bonus-added"
CUMULATIVE = "cumulative"
PREFILL_DILUTED = "prefill-diluted"
PREFILL_COUNTED = "prefill-token-counted"
FROM_POSITIONS = "from-positions"
FROM_CHECK = "from-check"
STALE_GAUGE = "gauge"
SINCE_START = "since-start"
FROM_TOKENS = "from-tokens"
IMPLAUSIBLE = "implausible"

FLAGS = {
    NOT_A_NUMBER: "the log says NaN or infinity; no value",
    BELOW_ONE: "less than one token a step cannot be; no value",
    ABOVE_K: "more than k + 1",
    EXACTLY_ONE: "nothing was accepted in at least 100 drafts so far",
    EXACTLY_MAX: "every draft was accepted",
    BONUS_ADDED: "vLLM 0.8.5 prints the length without the bonus token; one is added",
    CUMULATIVE: "counts since the server's start (vLLM's V0 engine)",
    PREFILL_DILUTED: "SGLang up to 0.5.3.post1 counts prefills as steps of one token; the true value is higher",
    PREFILL_COUNTED: "the printed value counts the prefill's token; the value here is from the counters",
    FROM_POSITIONS: "1 + the sum of the per-position rates",
    FROM_CHECK: "the left side of a test's failed comparison",
    FROM_TOKENS: "(completion tokens - 1) / verify steps: the counters of accepted drafts are not there",
    IMPLAUSIBLE: "more than 64 where k is unknown: the number counts something else; no value",
    SINCE_START: "one scrape of counters: all that the server did until then",
    STALE_GAUGE: "a gauge: the last window, kept while idle",
}

LONGEST_LENGTH = 64
"""Above every published draft's k + 1: a greater number is no accept length unless the log names its k."""
MANY_DRAFTS = 100
SLACK = 0.006
"""Half a unit in the second decimal, and a little: logs print two."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`value` is None where the record holds none that can be believed. `drafts` and `accepted` are its counters.

    `source` and `group` say with what it may be pooled; `weight` stands in for `drafts` where the log has none.
    """

    value: float | None
    source: str
    flags: tuple[str, ...] = ()
    group: str = ""
    weight: float = 1.0
    drafts: int | None = None
    accepted: int | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """One accept length and its line. `accept_length` is None where the number is not to be believed."""

    line: int
    accept_length: float | None
    flags: tuple[str, ...]


@dataclass(slots=True)
class Context:
    """What earlier lines of the log said about the configuration."""

    k: int | None = None
    configured: bool = False


_K = re.compile(
    r"(?:speculative_num_steps|num_speculative_tokens|num_spec_tokens|--speculative-num-steps"
    r"|--num-speculative-tokens"
    r"|--spec-tokens)['\"]?[ :=]+(?P<k>\d{1,9})\b"
)
_CONFIGURED = re.compile(
    r"speculative_algorithm=['\"]?[A-Z]|speculative_config=(?:SpeculativeConfig\(|\{)|--speculative-(?:config"
    r"|algo\w*|model)\b"
    r"|'speculative_config': \{|Initializing .*speculative_config=SpeculativeConfig"
)

_ASKED = ("speculative", "num_spec", "--spec")
"""One of these stands in every text that tells of the configuration."""


def learn(context: Context, text: str) -> None:
    """Note k, and whether speculation was asked for."""
    if not any(map(text.__contains__, _ASKED)):
        return
    if found := _K.search(text):
        context.k = int(found["k"])
    if _CONFIGURED.search(text):
        context.configured = True


def checked(reading: Reading) -> Reading:
    """`reading` with the flags its own numbers call for; impossible values become None."""
    value, flags = reading.value, list(reading.flags)
    if value is None:
        return reading
    if value < 1 - SLACK:
        value = None
        flags.append(BELOW_ONE)
    elif not reading.k and value > LONGEST_LENGTH:
        value = None
        flags.append(IMPLAUSIBLE)
    elif reading.k:
        if value > reading.k + 1 + SLACK:
            flags.append(ABOVE_K)
        elif value >= reading.k + 1 and (
            reading.accepted is None or reading.accepted == reading.k * (reading.drafts or 0)
        ):
            flags.append(EXACTLY_MAX)
    return Reading(
        None if value is None else round(max(value, 1.0), 3),
        reading.source,
        tuple(dict.fromkeys(flags)),
        reading.group,
        reading.weight,
        reading.drafts,
        reading.accepted,
        reading.k,
    )


def number(text: str) -> float | None:
    """A printed number; None for nan, inf, None and null."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None
