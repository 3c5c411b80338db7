"""Redacts the paths of the server's folders in every response of a league.

The bytes of a response are searched, so no page and no text can be forgotten: the output of a bot names files of the server.
Stored texts stay as they were written. Public reasons of arena name no folder (:mod:`arena.league.rules.events`).
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.league.redaction import PathRedactor


class RedactPaths:
    """Redacts paths in the responses of an application. A part of a stream must hold whole lines."""

    def __init__(self, app: ASGIApp, redactor: PathRedactor) -> None:
        self._app = app
        self._redactor = redactor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        start: Message = {}

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its length is known with the body
                return
            body = self._redactor.redact(message.get("body", b""))
            if start:
                headers = MutableHeaders(scope=start)
                if not message.get("more_body") and "content-length" in headers:
                    headers["content-length"] = str(len(body))
                await send(start)
                start = {}
            await send({**message, "body": body})

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
