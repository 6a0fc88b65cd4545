"""GitHub: the text of an issue, and the request that opens one (POST /repos/OWNER/REPO/issues)."""

from matrix.core.message import Message
from matrix.notify.post import Request

MOST_CELLS = 50
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536."""


def request(message: Message, url: str, token: str | None) -> Request:
    """Opens an issue."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    return Request(url, {"title": " ".join(message.title.split())[:250], "body": text(message)}, headers)


def text(message: Message) -> str:
    """The issue's body as markdown."""
    lines = [_plain(message.why), ""] if message.why else []
    lines += ["| cell | before | after |", "|---|---|---|"]
    lines += [f"| {_cell(c.cell)} | {_cell(c.before)} | {_cell(c.after)} |" for c in message.cells[:MOST_CELLS]]
    more = len(message.cells) - MOST_CELLS
    lines += ["", f"and {more} more cells"] if more > 0 else []
    reasons = dict.fromkeys(_plain(c.reason) for c in message.cells[:MOST_CELLS] if c.reason)
    lines += ["", *(f"- {reason}" for reason in reasons)] if reasons else []
    for command in message.commands[:3]:
        lines += ["", f"    {' '.join(command.split())}"]
    return "\n".join(lines)[:MOST_CHARACTERS] + "\n"


def _plain(words: str) -> str:
    """One line that mentions nobody, links nothing and opens no tag."""
    line = " ".join(words.split()).replace("<", "&lt;").replace("*", "\\*")
    return line.replace("@", "@\u200b").replace("#", "#\u200b")


def _cell(words: str) -> str:
    return _plain(words).replace("|", "\\|")
