"""Makes program output plain: no colours, no cursor moves, no NUL."""

import re

# ECMA-48: CSI sequences, then OSC and its like up to their terminator (bounded: one may be missing), then two-character
# escapes; last the control characters other than tab, line feed and carriage return.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]"
)


def strip_controls(text: str) -> str:
    """`text` without terminal control sequences and control characters; a secret split by a colour is whole again."""
    return _CONTROL.sub("", text)
