"""Sessions of browsers: a signed cookie that says whose token was entered, and the form token that belongs to it."""

import hashlib
import secrets
import time
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer

LIFE_S = 12 * 3600
"""After so long the token must be entered again."""

_SIGNED = {"digest_method": hashlib.sha256, "key_derivation": "hmac"}


@dataclass(frozen=True, slots=True)
class Session:
    """`name` is the token's; `form` is what every form of the session must carry, and no other page can know."""

    name: str
    number: str
    form: str


class Sessions:
    """Begins, reads and ends. The key is made with the process and never stored, so whoever reads the database can make
    no session; a restart ends all of them.
    """

    def __init__(self, life_s: float = LIFE_S) -> None:
        key = secrets.token_bytes(32)
        self._life_s = life_s
        self._cookies = URLSafeTimedSerializer(key, salt="session", signer_kwargs=_SIGNED)
        self._forms = Signer(key, salt="form", digest_method=hashlib.sha256, key_derivation="hmac")
        self._ended: dict[str, float] = {}

    def begin(self, name: str) -> str:
        """The cookie of a new session of that token."""
        cookie = self._cookies.dumps([name, secrets.token_urlsafe(16)])
        return cookie if isinstance(cookie, str) else cookie.decode()

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None for one that was not signed here, is too old, or was ended."""
        try:
            name, number = self._cookies.loads(cookie, max_age=int(self._life_s))
        except BadSignature:
            return None
        if number in self._ended:
            return None
        return Session(name, number, self._forms.get_signature(number).decode())

    def proves(self, session: Session, form: str) -> bool:
        """True for the session's own form token; compared in constant time."""
        return self._forms.verify_signature(session.number, form)

    def end(self, session: Session) -> None:
        """Have its cookie count no more, also where somebody kept a copy of it."""
        now = time.monotonic()
        for number in [n for n, at in self._ended.items() if at + self._life_s < now]:
            self._ended.pop(number, None)
        self._ended[session.number] = now
