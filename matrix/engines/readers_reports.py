"""Reports that are no log records: rows of a client's table, a request's counters, and pasted scrapes of metrics.

Counters count since the server's start: one scrape gives the mean of all that it served, two give what lies between
them. vLLM (0.8.5 on): 1 + accepted / drafts. SGLang (0.5.13 on): (generated tokens - requests) / verify calls.
"""

import re
from dataclasses import dataclass, field

from matrix.engines.reading import FROM_TOKENS, SINCE_START, Reading

_ROW = re.compile(
    r"(?:^|[|│┃])\s*(?:(?:mean|average|avg\.?)\s+)?acc(?:ept(?:ance|ed)?)?[ _-]len(?:gth)?\s*[|│┃]"
    r"\s*(?P<value>\d+\.\d+)\s*[|│┃]",
    re.IGNORECASE,
)
_BARS = "|│┃"
_FAMILIES = {
    "vllm": ("spec_decode_num_drafts", "spec_decode_num_accepted_tokens"),
    "sglang": ("generation_tokens", "num_requests", "spec_verify_calls"),
}
_COUNTER = re.compile(
    r"^(?:"
    + "|".join(rf"(?={engine}:(?:{'|'.join(names)})_total[{{ ])" for engine, names in _FAMILIES.items())
    + r")(?P<engine>\w+):(?P<name>\w+)_total(?P<labels>\{[^}]{0,300}\})? (?P<value>\d+\.\d+(?:e\+\d\d)?)$"
)
_TOKENS = re.compile(r"[\"']completion_tokens[\"']:\s*(\d{1,12})(?=[,}\s])")
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
    if len(steps) != 1 or not int(steps[0]):
        return []
    drafts = int(steps[0])
    if len(taken) == 1:
        return [Reading(1 + int(taken[0]) / drafts, "request", drafts=drafts, accepted=int(taken[0]))]
    tokens = _TOKENS.findall(text)
    if taken or len(tokens) != 1 or int(tokens[0]) <= drafts:
        return []
    return [Reading((int(tokens[0]) - 1) / drafts, "request", (FROM_TOKENS,), drafts=drafts)]


@dataclass(slots=True)
class Scrapes:
    """Follows the engines' counters line by line, for each set of labels."""

    _seen: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    _before: dict[str, tuple[float, float]] = field(default_factory=dict)

    def standing(self) -> tuple[object, ...]:
        """The samples that wait for others, and the last scrape."""
        return {key: dict(counts) for key, counts in self._seen.items()}, dict(self._before)

    def takes(self, text: str) -> bool:
        """True for a sample of one of the counters."""
        return _COUNTER.match(text) is not None

    def read(self, text: str) -> list[Reading]:
        """The reading that a sample completes; empty while counters lack, and where nothing was drafted."""
        found = _COUNTER.match(text)
        if not found:
            return []
        engine, labels, name = found["engine"], found["labels"] or "", found["name"]
        if (engine, labels) not in self._seen and len(self._seen) >= _SERIES:
            return []
        counts = self._seen.setdefault((engine, labels), {})
        counts[name] = float(found["value"])
        if len(counts) < len(_FAMILIES[engine]):
            return []
        del self._seen[engine, labels]
        return self._difference(f"{engine}{labels}", *_steps_and_accepted(counts))

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


def _steps_and_accepted(counts: dict[str, float]) -> tuple[float, float]:
    """SGLang's tokens are those of the prefill, one a request, and of its verify calls, one a call and the accepted."""
    if "spec_verify_calls" not in counts:
        return counts["spec_decode_num_drafts"], counts["spec_decode_num_accepted_tokens"]
    calls = counts["spec_verify_calls"]
    return calls, max(counts["generation_tokens"] - counts["num_requests"] - calls, 0.0)


_SERIES = 1000
"""Sets of labels that are followed."""
