"""Finds accept lengths in one line, by the field's name and never by its position.

The spellings are those of SGLang 0.4.6 to 0.5.23 (log, server info, meta_info, metrics, its benchmarks and tests), vLLM
0.5 to 0.33 (V0 and V1 logs, examples, `vllm bench`, per-request metrics) and SpecForge's benchmarks. A number that the
line's end may have cut yields no value.
"""

import re
from collections.abc import Iterator

from matrix.engines import readers_reports, readers_vllm
from matrix.engines.reading import (
    FROM_CHECK,
    NOT_A_NUMBER,
    PREFILL_COUNTED,
    PREFILL_DILUTED,
    SLACK,
    STALE_GAUGE,
    Context,
    Reading,
    number,
)

FIELD = re.compile(
    r"acc(?:ept(?:ance|ed)?|pt)?[ _-]?len(?:gth)?"
    r"(?:\s?\((?:AL|tokens?|mean|avg|τ|server|benchmark|incl\w{0,6} (?:the )?bonus(?: tokens?)?)\))?"
    r"(?P<mark>\{[^}]{0,300}\}\s{1,9}|[\"'*`]{0,3}\s{0,9}[:=]\s{0,60}[\"'*`]{0,3}|(?<=_length)\s{1,9}(?=\d))"
    r"(?P<value>[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+|nan|inf))",
    re.IGNORECASE,
)
_OF_REQUEST = re.compile(r"(?<!avg_)(?:spec_accept|mean_acceptance)_length$")
_NAME_BEFORE = re.compile(r"[A-Za-z_:]*$")
_FOREIGN = re.compile(
    r"(?:block|ema|expected|min|max|minimum|maximum|target|bar|threshold|synthetic|simulated?|required|cap|per"
    r"|std|draft)[ _-]*$"
    r"|simul|synthetic|ema_|expected|block_|threshold|min_|max_",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"Mean acceptance length: \S+ (?:Acc|Current)")
"""vLLM's V1 record, also where a terminal broke it after its first words."""
_STREAMED = re.compile(r"Decode batch|SpecDecoding metrics|Speculative metrics")
_RANK = re.compile(r"\bDP(\d+)\b")
_RUNNING = re.compile(r"#running-req: (\d+),")
_CHECKS = (
    re.compile(
        r"(?:AssertionError: |assert )(?P<value>\d+\.\d+) (?:not greater than(?: or equal to)?|>=?) "
        r"(?P<bar>\d+(?:\.\d+)?)\b"
    ),
    re.compile(
        r"[Ee]xpected[^\d\n]{0,60}(?:>=?|≥|at least|above|over)\s?(?P<bar>\d+(?:\.\d+)?)[^\d\n]{1,40}?"
        r"\b(?:got|was|is|found|measured)\b:?\s?(?P<value>\d+\.\d+)\b"
    ),
)
"""What a unit test says of a number below its bar."""
_ABOUT_SPEC = re.compile(r"acc(?:ept|_len)|spec|eagle|mtp|nextn|draft|lowlatency|bs_1_speed", re.IGNORECASE)
_LIKELY_BAR = 20.0


def read(text: str, raw: str, context: Context, before: str = "") -> list[Reading]:
    """Readings of one line: `text` is the cleaned line, `raw` has its prefixes, `before` holds the lines above."""
    if _is_window(text) or "Speculative metrics" in text:
        return readers_vllm.read(text, context)
    found = [r for m in _fields(text) if (r := _field(m, text, raw, context))]
    if found:
        return found
    reports = readers_reports.row(raw) or readers_reports.counters(text)
    return reports or readers_vllm.positions(text) or _failed_check(text, before)


def complete(text: str) -> bool:
    """False when a record of a running server lacks its end: the terminal may have wrapped it."""
    if _is_window(text):
        return readers_vllm.complete(text)
    if "Speculative metrics" in text:
        return "emitted tokens" in text and text.rstrip().endswith(".")
    return "Decode batch" not in text or "#queue-req: " in text or text.count(",") < 3


def _is_window(text: str) -> bool:
    return "SpecDecoding metrics" in text or ("Mean acceptance length: " in text and _WINDOW.search(text) is not None)


def _fields(text: str) -> Iterator[re.Match[str]]:
    """Matches of `FIELD`; its first letters are looked for first, which is much faster in long lines."""
    low, place = text.lower(), 0
    if len(low) != len(text):
        yield from FIELD.finditer(text)
        return
    while (place := low.find("acc", place)) >= 0:
        found = FIELD.match(text, place)
        place = found.end() if found else place + 1
        if found:
            yield found


def _field(match: re.Match[str], text: str, raw: str, context: Context) -> Reading | None:
    head = text[max(match.start() - 40, 0) : match.start()].rpartition(",")[2]
    name = head[_NAME_BEFORE.search(head).start() :] + text[match.start() : match.start("mark")]  # type: ignore[union-attr]
    if _FOREIGN.search(head) or _FOREIGN.search(name) or not _ended(match, text):
        return None
    value = number(match["value"])
    flags: tuple[str, ...] = (NOT_A_NUMBER,) if value is None else ()
    if "Decode batch" in text or "accept len" in name:
        return _decode(value, flags, text, raw, context)
    if match["mark"].startswith("{") or match["mark"].isspace():
        return Reading(value, "gauge", (*flags, STALE_GAUGE), k=context.k)
    if _OF_REQUEST.search(name):
        return _request(value, flags, _object_around(text, match.start(), match.end()), context)
    return Reading(value, "summary", flags)


def _ended(match: re.Match[str], text: str) -> bool:
    """Whether the number is whole: something follows it, or it stands where a short report line ends."""
    rest = text[match.end() :]
    if rest:
        if rest[0] == "," and rest[1:2].isdigit() and "." not in match["value"]:
            return False  # a decimal comma
        return re.match(r"[,;\s|}\])\"'*`]|\.(?:\s|$)", rest) is not None and not match["value"].endswith(".")
    whole = re.fullmatch(r"[-+]?\d+\.\d+|nan|inf", match["value"], re.IGNORECASE) is not None
    return whole and match.start() < 60 and not _STREAMED.search(text) and text.count("{") <= text.count("}")


def _decode(value: float | None, flags: tuple[str, ...], text: str, raw: str, context: Context) -> Reading:
    rank, running = _RANK.search(raw[:120]), _RUNNING.search(text)
    if "Decode batch" in text and "gen throughput" in text and "accept rate" not in text:
        flags = (*flags, PREFILL_DILUTED)
    weight = float(running[1]) if running and running[1] != "0" else 1.0
    return Reading(value, "decode", flags, f"DP{rank[1]}" if rank else "", weight, k=context.k)


def _object_around(text: str, start: int, end: int) -> str:
    """The innermost braces around a field, as far as the line shows them."""
    left = text.rfind("{", 0, start)
    right = text.find("}", end)
    return text[left + 1 : right if right >= 0 else len(text)]


def _counter(body: str, names: str) -> int | None:
    found = re.search(rf"[\"'](?:{names})[\"']\s*:\s*(\d{{1,15}})(?=[,\s}}\]]|$)", body)
    return int(found[1]) if found else None


_HISTOGRAM = re.compile(r"[\"'](?:spec_correct_drafts|spec_accept|acceptance)_histogram[\"']\s*:\s*\[([\d, ]+)\]")


def _request(value: float | None, flags: tuple[str, ...], body: str, context: Context) -> Reading:
    """One request's own numbers; its counters outrank the printed mean, which counts the prefill's token in SGLang."""
    steps = _counter(body, "spec_verify_ct|num_spec_steps")
    accepted = _counter(
        body, "spec_num_correct_drafts|spec_accepted_drafts|spec_accept_token_num|num_accepted_draft_tokens"
    )
    histogram = _HISTOGRAM.search(body) if "_histogram" in body else None
    k = len(histogram[1].split(",")) - 1 if histogram else context.k
    if not steps or accepted is None:
        return Reading(value, "request", flags, k=k)
    counted = 1 + accepted / steps
    if value is not None and abs(value - counted) > SLACK:
        flags = (*flags, PREFILL_COUNTED)
    return Reading(counted, "request", flags, drafts=steps, accepted=accepted, k=k)


def _failed_check(text: str, before: str) -> list[Reading]:
    """The measured side of a unit test's bar, when the test is about speculation and the numbers can be lengths."""
    match = next((m for check in _CHECKS if (m := check.search(text))), None) if "ssert" in text else None
    if not match or not _ABOUT_SPEC.search(f"{before}\n{text}"):
        return []
    value, bar = float(match["value"]), float(match["bar"])
    if not (1 <= value <= _LIKELY_BAR and 1 < bar <= _LIKELY_BAR):
        return []
    return [Reading(value, "summary", (FROM_CHECK,))]
