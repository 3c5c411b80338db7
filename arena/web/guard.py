"""Who is answered, and what a browser is told to keep from doing: the walls around every page.

A page on loopback can be asked for by any page that the same browser shows (DNS rebinding), so the host that is asked for must be
this one by name. Nothing is ever sent that another origin may read, embed or run.
"""

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)  # styles in a line: the charts' own
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def hosts(port: int) -> frozenset[str]:
    """Return what a browser on this machine calls a server at ``port``."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Guard:
    """Lets through what asks for this host by an allowed method; every answer carries ``HEADERS``."""

    def __init__(self, app: ASGIApp, allowed: Collection[str], methods: Collection[str] = ("GET", "HEAD")) -> None:
        self._app = app
        self._allowed = allowed
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, sealed)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        asked = Headers(scope=scope)
        host = asked.get("host", "").lower()
        if host not in self._allowed:
            return PlainTextResponse(f"unknown host; expected one of {', '.join(sorted(self._allowed))}\n", 421)
        if scope["method"] not in self._methods:
            return PlainTextResponse("this method is not allowed here\n", 405)
        if scope["method"] == "POST" and asked.get("origin") != f"http://{host}":
            return PlainTextResponse("another origin may not act here\n", 403)
        return None
