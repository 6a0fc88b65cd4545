"""A writer over plain lists, and a browser's way of sending forms."""

from dataclasses import dataclass, field

from fastapi.testclient import TestClient

from matrix.core.ack import Ack, Scope
from matrix.core.errors import ConfigError
from matrix.core.state import State
from tests.web.page import parse

TOKEN = "mtx_right"
OWN = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
"""What a browser says of a form on a page of this dashboard."""


@dataclass
class ListWriter:
    """One token stands, until it is `revoked`."""

    revoked: bool = False
    written: list[tuple[object, ...]] = field(default_factory=list)

    def check(self, token: str, /) -> str | None:
        return "ci" if token == TOKEN and not self.revoked else None

    def stands(self, name: str, /) -> bool:
        return name == "ci" and not self.revoked

    def acknowledge(self, flip_id: int, /, reason: str, scope: str, until: str) -> list[Ack]:
        if until == "soon":
            raise ConfigError("`soon` is no date and no span", hint="for example 30d")
        self.written.append(("acknowledge", flip_id, reason, scope, until))
        return [Ack("5e1e000000000001", Scope(scope or "cell"), State.COLLAPSED, reason, ack_id=4)]

    def end_acknowledgement(self, ack_id: int, /) -> None:
        self.written.append(("end", ack_id))


def log_in(client: TestClient, token: str = TOKEN) -> None:
    answer = client.post("/login", data={"token": token, "next": "/status"}, headers=OWN, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/status")


def form_token(client: TestClient, path: str = "/login") -> str:
    """The form token of the first form on a page."""
    shown = parse(client.get(path).text)
    return next(n.attrs["value"] for n in shown.all("input") if n.attrs.get("name") == "form_token")
