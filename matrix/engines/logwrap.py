"""The surroundings of one log line: the excerpt around it, and its rest where a terminal broke it."""

from dataclasses import dataclass

from matrix.engines.logtext import has_prefix, plain, strip_prefixes

LONGEST = 1 << 16
_NARROWEST, _WIDEST = 40, 1000
"""Columns of the terminals whose broken lines are joined."""


@dataclass(frozen=True, slots=True)
class Around:
    """The lines about one line; made only for lines that matter."""

    line: str
    lines: list[bytes]
    index: int
    rows: bool = True
    """False when it is known that no word of the failure table stands here."""

    def excerpt(self) -> str:
        """At most a dozen lines that end a little after it, each cut at 400 characters."""
        near = self.lines[max(self.index - 9, 0) : self.index + 3]
        return "\n".join(strip_prefixes(text(x, 1000)).rstrip()[:400] for x in near).strip("\n")

    def wrapped(self) -> list[str]:
        """The line joined to what may be its continuation, without prefixes."""
        return [strip_prefixes(joined) for joined in wrapped(self.line, self.lines, self.index)]


def wrapped(line: str, lines: list[bytes], index: int) -> list[str]:
    """`line` joined with one, two, ... of the lines after it, as long as these look like the rest of it.

    A terminal fills its width before it breaks: the rest is no longer than the line, has no prefix and no indentation.
    """
    out: list[str] = []
    joined, width = line.rstrip("\r\n"), max(len(line), _NARROWEST)
    if not _NARROWEST <= len(line) <= _WIDEST:
        return out
    for following in lines[index + 1 : index + 7]:
        rest = text(following, LONGEST).rstrip("\r\n")
        if not rest or rest.startswith(("  ", "\t")) or len(rest) > width + 2 or has_prefix(rest):
            break
        joined += rest
        out.append(joined)
        if len(rest) < width - 12:
            break
    return out


def text(raw: bytes, limit: int) -> str:
    """At most `limit` bytes as text, without colours and control characters."""
    return plain(raw[:limit].decode("utf-8", "replace"))
