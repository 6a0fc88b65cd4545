"""What is done to any text of an engine before it is stored."""

from matrix.store.jsonio import clean_text
from matrix.store.redact import redact
from matrix.store.terminal import strip_controls

# More than this is not looked at: a reason or an excerpt of a megabyte is a mistake of the caller.
_LOOKED_AT = 2**20


def stored_text(text: str, cap: int = 65536) -> str:
    """`text` without control sequences and secrets, of at most about `cap` characters (head and tail kept)."""
    if len(text) > _LOOKED_AT:
        text = clip(text, _LOOKED_AT)
    return clip(clean_text(redact(strip_controls(text))), cap)


def clip(text: str, cap: int) -> str:
    """`text`, or its head and tail with a line between that counts what is missing."""
    if len(text) <= cap:
        return text
    half = cap // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters are cut out here]\n{text[-half:]}"
