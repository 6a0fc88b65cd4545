"""Counters of vLLM's V0 engine (to 0.9.2), which only its log tells right.

Its Prometheus counters are raised by their own running total at each logging, and its gauges are means since the start.
The log record holds the running totals, so the difference of two records counts what lies between them.
"""

import re

from matrix.core.counters import Counters

_RECORD = re.compile(
    r"Speculative metrics: .*?Number of speculative tokens: (?P<k>\d{1,15}), .*?"
    r"Number of draft tokens(?: tokens)?: (?P<draft>\d{1,15}), "
    r"Number of emitted tokens(?: tokens)?: (?P<emitted>\d{1,15})\."
)


def totals(log: str) -> list[Counters]:
    """The running totals of each record in the order of the log.

    Each sequence and step drafts k tokens, so the steps are draft tokens / k. A step emits what it accepted and one
    token more; "accepted tokens" of the record count positions behind a rejected one too and are not used.
    """
    found = []
    for record in _RECORD.finditer(log):
        k, draft, emitted = (int(record[name]) for name in ("k", "draft", "emitted"))
        if k and draft % k == 0 and emitted >= draft // k:
            steps = draft // k
            found.append(Counters(steps=steps, proposed=draft, accepted=emitted - steps, requests=0))
    return found
