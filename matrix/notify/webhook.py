"""Any receiver of JSON: the message as it is."""

from dataclasses import asdict

from matrix.core.message import Message
from matrix.notify.post import Request

MOST_CELLS = 50


def request(message: Message, url: str, token: str | None) -> Request:
    """The fields of `matrix.core.message.Message`, at most `MOST_CELLS` of its cells, and `total` of them.

    `key` names the message for good, so that a receiver can tell one that came twice.
    """
    body = asdict(message) | {"key": message.key, "total": len(message.cells), "source": "specmatrix"}
    body["cells"] = list(body["cells"][:MOST_CELLS])
    return Request(url, body, {"Authorization": f"Bearer {token}"} if token else {})
