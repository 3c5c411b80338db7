"""Checks every HTTP request, and adds security headers to its response.

A WebSocket is not checked: its application has to ask for an ``Authorization`` header, which no page can send with one.

Any page in the same browser can send requests to a server on loopback, also under a name of its own that resolves to 127.0.0.1
(DNS rebinding). So the Host header must name this server, and a POST must come from its own pages, or from a program: one with an
``Authorization`` header, which no page of another origin can send without a permission that this server never gives. Where
programs have tokens, a POST without one passes too, if no browser can have sent it: the addresses that need a token ask for it.
The headers forbid other origins to read or embed a response, and forbid pages to load anything from elsewhere.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)  # the charts use inline styles
CHARTS = {"Content-Security-Policy": POLICY}
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FORMS = {  # with no-referrer, browsers send `Origin: null` with a form
    "Content-Security-Policy": POLICY.replace(" 'unsafe-inline'", ""),
    "Referrer-Policy": "same-origin",
}


def hosts(port: int) -> frozenset[str]:
    """Return the Host headers of requests from this machine to a server at ``port``."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


class Guard:
    """Passes requests on that name an allowed host, use an allowed method and post from no other origin; adds ``HEADERS``.

    ``public`` is the origin under which a reverse proxy serves the pages, as ``https://club.example.org``; empty: there is none.
    ``forms`` allows pages with forms. ``tokens``: programs have tokens, and the addresses that need one ask for it.
    """

    def __init__(
        self,
        app: ASGIApp,
        allowed: Collection[str],
        methods: Collection[str] = ("GET", "HEAD"),
        public: str = "",
        *,
        forms: bool = False,
        tokens: bool = False,
    ) -> None:
        self._app = app
        self._origins = {host: f"http://{host}" for host in allowed} | ({urlsplit(public).netloc: public} if public else {})
        self._methods = methods
        self._tokens = tokens
        self._headers = HEADERS | (FORMS if forms else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request. Refusals: 421 for the host, 405 for the method, 403 for the origin."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self._origins:
            return PlainTextResponse(f"unknown host; expected one of {', '.join(sorted(self._origins))}\n", 421)
        if scope["method"] not in self._methods:
            return PlainTextResponse("method not allowed\n", 405)
        if scope["method"] == "POST" and not self._from_program(headers) and headers.get("origin") != self._origins[host]:
            return PlainTextResponse("request from another origin refused\n", 403)
        return None

    def _from_program(self, headers: Headers) -> bool:
        """Tell whether a program must have sent a POST: a browser names the origin of the page that sends it, and adds cookies."""
        return "authorization" in headers or (self._tokens and "origin" not in headers and "cookie" not in headers)
