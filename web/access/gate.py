"""The one gate that every request passes which is not a plain read."""

from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from web.access import refused
from web.access.attempts import Attempts
from web.access.forms import fields_of
from web.access.origin import own_page
from web.access.sessions import LIFE_S, Session, Sessions
from web.writer import Writer

COOKIE = "matrix-session"
"""How the cookie's name begins; the port follows, since browsers send cookies to all ports of a host."""
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
LOGIN = "/login"

_READING = ("GET", "HEAD", "OPTIONS")
_SCHEME = "bearer"


@dataclass(frozen=True, slots=True)
class Gate:
    """`writer` is None for a dashboard that only shows."""

    writer: Writer | None
    sessions: Sessions = field(default_factory=Sessions)
    attempts: Attempts = field(default_factory=Attempts)

    @property
    def open(self) -> bool:
        return self.writer is not None

    async def guard(self, request: Request) -> None:
        """Stands before all routes, so that none can forget it: lets reading pass, and for all else asks who it is.

        Afterwards `request.state.writer` is the token's name and `request.state.fields` are those of a form.
        """
        if request.method in _READING:
            return
        request.state.fields = await fields_of(request)
        request.state.writer = await run_in_threadpool(self._who, request)

    def _who(self, request: Request) -> str:
        if self.writer is None:
            raise refused.read_only()
        if "authorization" in request.headers:
            return self._bearer(request)
        if request.url.path.startswith("/api/"):
            raise refused.no_token()
        if request.url.path == LOGIN:
            # Nobody is known yet; the route itself asks for the token.
            if not own_page(request.headers):
                raise refused.foreign_form()
            return ""
        return self._browser(request)

    def _bearer(self, request: Request) -> str:
        scheme, _, token = request.headers["authorization"].partition(" ")
        if scheme.lower() != _SCHEME:
            raise refused.no_token()
        return self.name_of(token.strip(), request)

    def _browser(self, request: Request) -> str:
        session = self.session(request)
        if session is None:
            raise refused.no_token()
        if not own_page(request.headers):
            raise refused.foreign_form()
        if not self.sessions.proves(session, request.state.fields.get(FORM_TOKEN, "")):
            raise refused.old_form()
        return session.name

    def name_of(self, token: str, request: Request) -> str:
        """The name of the token; refused when none stands, and when too many wrong ones came from that address."""
        address = request.client.host if request.client else ""
        if wait_s := self.attempts.wait_s(address):
            raise refused.too_many(wait_s)
        name = self.writer.check(token) if self.writer and token else None
        if name is None:
            if token:
                self.attempts.wrong(address)
            raise refused.no_token()
        return name

    def session(self, request: Request) -> Session | None:
        """Whose browser it is; None where nobody logged in, or the token was revoked since."""
        session = self.sessions.read(request.cookies.get(_cookie(request), ""))
        return session if session and self.writer and self.writer.stands(session.name) else None

    def enter(self, request: Request, answer: Response, name: str) -> None:
        """Have the answer begin a session."""
        secure = request.url.scheme == "https"
        cookie = self.sessions.begin(name)
        answer.set_cookie(_cookie(request), cookie, LIFE_S, secure=secure, httponly=True, samesite="lax")

    def leave(self, request: Request, answer: Response) -> None:
        """End the session, and have the answer take the cookie away."""
        if session := self.session(request):
            self.sessions.end(session)
        answer.delete_cookie(_cookie(request), httponly=True, samesite="lax")


def writer_of(request: Request) -> str:
    """The name of the token by which a request passed the gate."""
    return str(request.state.writer)


def _cookie(request: Request) -> str:
    return f"{COOKIE}-{request.url.port or request.url.scheme}"
