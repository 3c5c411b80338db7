"""Leaves the names of the server's folders out of every response of a league.

The bytes of a response are searched, so no page and no text can be forgotten: what a bot wrote names files of the server. What is
stored stays as it was written. Reasons and errors of arena name no folder where they are public (:mod:`arena.league.reasons`).
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.runs.leagues.places import Places


class WithoutPlaces:
    """Leaves places out of the responses of an application. A part of a stream must hold whole lines."""

    def __init__(self, app: ASGIApp, places: Places) -> None:
        self._app = app
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        start: Message = {}

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its length is known with the body
                return
            body = self._places.left_out(message.get("body", b""))
            if start:
                headers = MutableHeaders(scope=start)
                if not message.get("more_body") and "content-length" in headers:
                    headers["content-length"] = str(len(body))
                await send(start)
                start = {}
            await send({**message, "body": body})

        await self._app(scope, receive, sending if scope["type"] == "http" else send)
