"""No request's body is taken in that is larger than any this dashboard needs."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.access.refused import too_large

MOST = 64 * 1024


class BodyLimit:
    """ASGI middleware: whoever reads a body of over `MOST` bytes gets `Refused`, whatever length was announced."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST:
                raise too_large(MOST)
            return message

        await self.app(scope, counted, send)
