"""Text and JSON that every database can hold: no NUL, no lone surrogate, no NaN."""

import json
import math
from typing import Any


def clean_text(text: str) -> str:
    """`text` with NUL characters and lone surrogates (neither storable everywhere) replaced by U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plain(value: Any) -> Any:
    """`value` as JSON knows it: tuples become lists, NaN and infinities None (missing), other objects their text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(str(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    return clean_text(str(value))


def dumps(value: Any) -> str:
    """JSON text of `plain(value)`; the order of keys is kept."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def loads(text: str | bytes) -> Any:
    """What the JSON text says. Most lists of samples are empty, and a comparison reads tens of thousands of them."""
    return [] if text == "[]" else json.loads(text)
