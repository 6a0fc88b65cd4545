"""Who may change something: a route that writes depends on `writer`, and gets the name of the token that was sent."""

from collections.abc import Callable

from fastapi import HTTPException, Request

Check = Callable[[str], str | None]
"""The name of the token that this text is, None where no such token stands (`matrix.store.tokens.Tokens.check`)."""

_SCHEME = "bearer"


def writer(check: Check) -> Callable[[Request], str]:
    """A dependency that returns the token's name, and answers 401 to a request without a standing token.

    A token comes in the Authorization header alone: browsers send cookies and forms for any page, but never that.
    """

    def named(request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        name = check(token.strip()) if scheme.lower() == _SCHEME and token.strip() else None
        if name is None:
            detail = "A request that changes something needs a token."
            raise HTTPException(401, detail, headers={"WWW-Authenticate": "Bearer"})
        return name

    return named
