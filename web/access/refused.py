"""Refusals, each with the next step."""

import math

from starlette.exceptions import HTTPException


class Refused(HTTPException):
    """`detail` is the cause, `hint` the next step."""

    def __init__(self, status: int, detail: str, hint: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, detail, headers)
        self.hint = hint


def read_only() -> Refused:
    hint = "`matrix ack` does it where the database is, and so does a dashboard served without --read-only."
    return Refused(403, "This dashboard only shows: nothing can be changed through it.", hint)


def no_token() -> Refused:
    hint = "`matrix token create NAME` makes one: Authorization: Bearer TOKEN. In a browser enter it at /login."
    return Refused(401, "A request that changes something needs a token.", hint, {"WWW-Authenticate": "Bearer"})


def too_many(wait_s: float) -> Refused:
    wait = str(math.ceil(wait_s))
    return Refused(429, "Too many wrong tokens came from this address.", f"Wait {wait} s.", {"Retry-After": wait})


def foreign_form() -> Refused:
    hint = "Open the page here and send its form again; programs send Authorization: Bearer TOKEN."
    return Refused(403, "This form does not come from one of this dashboard's pages.", hint)


def old_form() -> Refused:
    return Refused(403, "This form belongs to another session.", "Open its page again and send it from there.")


def too_large(most: int) -> Refused:
    return Refused(413, f"The body has more than {most} bytes.", "Send the named fields and no more.")
