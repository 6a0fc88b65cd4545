"""Slack's incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks."""

from matrix.core.message import Message
from matrix.notify.post import Request

MOST_CELLS = 10


def request(message: Message, url: str, token: str | None) -> Request:
    """One text in Slack's own markup."""
    return Request(url, {"text": text(message)}, {"Authorization": f"Bearer {token}"} if token else {})


def text(message: Message) -> str:
    """Title, cause, the first cells and the first command."""
    lines = [f"*{_plain(message.title)}*", *([_plain(message.why)] if message.why else [])]
    lines += [f"• {_plain(f'{c.cell}: {c.before} → {c.after}')}" for c in message.cells[:MOST_CELLS]]
    more = len(message.cells) - MOST_CELLS
    lines += [f"and {more} more"] if more > 0 else []
    lines += [f"`{_plain(command).replace('`', chr(39))}`" for command in message.commands[:1]]
    return "\n".join(lines)


def _plain(words: str) -> str:
    """One line in which nothing is a link, a mention or bold; `&`, `<` and `>` are the characters that Slack reads."""
    line = " ".join(words.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return line.replace("*", "∗")
