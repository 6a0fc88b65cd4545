"""Reports that are no log records: rows of a client's table, a request's counters, and pasted scrapes of metrics.

vLLM's two counters (0.8.5 on) count since the server's start: one scrape gives 1 + accepted / drafts of all that it
served, two give what lies between them.
"""

import re
from dataclasses import dataclass, field

from matrix.engines.reading import SINCE_START, Reading

_ROW = re.compile(
    r"(?:^|[|│┃])\s*(?:(?:mean|average|avg\.?)\s+)?acc(?:ept(?:ance|ed)?)?[ _-]len(?:gth)?\s*[|│┃]"
    r"\s*(?P<value>\d+\.\d+)\s*[|│┃]",
    re.IGNORECASE,
)
_BARS = "|│┃"
_COUNTER = re.compile(
    r"^vllm:spec_decode_num_(?P<name>drafts|accepted_tokens)_total(?P<labels>\{[^}]{0,300}\})? "
    r"(?P<value>\d+\.\d+(?:e\+\d\d)?)$"
)
_STEPS = re.compile(r"[\"']spec_verify_ct[\"']:\s*(\d{1,15})(?=[,}\s])")
_TAKEN = re.compile(
    r"[\"'](?:spec_num_correct_drafts|spec_accepted_drafts|spec_accept_token_num)[\"']:\s*(\d{1,15})(?=[,}\s])"
)


def row(raw: str) -> list[Reading]:
    """The value of a two-column table's row that is named after it; `raw` has its prefixes: a cell may pass for one."""
    found = _ROW.search(raw) if any(map(raw.__contains__, _BARS)) else None
    return [Reading(float(found["value"]), "summary")] if found else []


def counters(text: str) -> list[Reading]:
    """A request's value from SGLang's counters, where one line holds them of one request and no printed length."""
    if "spec_verify_ct" not in text:
        return []
    steps, taken = _STEPS.findall(text), _TAKEN.findall(text)
    if not len(steps) == len(taken) == 1 or not int(steps[0]):
        return []
    drafts, accepted = int(steps[0]), int(taken[0])
    return [Reading(1 + accepted / drafts, "request", drafts=drafts, accepted=accepted)]


@dataclass(slots=True)
class Scrapes:
    """Follows vLLM's counters line by line, for each set of labels."""

    _drafts: dict[str, float] = field(default_factory=dict)
    _before: dict[str, tuple[float, float]] = field(default_factory=dict)

    def takes(self, text: str) -> bool:
        """True for a sample of one of the counters."""
        return _COUNTER.match(text) is not None

    def read(self, text: str) -> list[Reading]:
        """The reading that a sample completes; empty for the first of two counters, and where nothing was drafted."""
        found = _COUNTER.match(text)
        if not found:
            return []
        labels, value = found["labels"] or "", float(found["value"])
        if found["name"] == "drafts":
            if len(self._drafts) < _SERIES:
                self._drafts[labels] = value
            return []
        drafts = self._drafts.pop(labels, None)
        return [] if drafts is None else self._difference(labels, drafts, value)

    def _difference(self, labels: str, drafts: float, accepted: float) -> list[Reading]:
        """From the scrape before; from the start where there is none, or where the counts fell with a new server."""
        before, taken_before = self._before.get(labels, (0.0, 0.0))
        if len(self._before) < _SERIES or labels in self._before:
            self._before[labels] = (drafts, accepted)
        restarted = drafts < before or accepted < taken_before
        steps = drafts if restarted else drafts - before
        taken = accepted if restarted else accepted - taken_before
        if steps <= 0:
            return []
        first = restarted or not before
        source, flags = ("scrape", (SINCE_START,)) if first else ("window", ())
        return [Reading(1 + taken / steps, source, flags, labels, drafts=int(steps), accepted=int(taken))]


_SERIES = 1000
"""Sets of labels that are followed."""
