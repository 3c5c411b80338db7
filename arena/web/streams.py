"""Responses that several applications send: files of the pages, event streams, JSON and errors."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena.reports.page import assets
from arena.web.channel import Channel
from arena.web.crowd import RETRY_AFTER, Crowd, Shares, sender
from arena.web.pages import STATIC, problem_page

NOTHING_HERE = "there is nothing at this address"
TOO_MANY = "too many live pages are open; this one shows what there is now, and is live again when others are closed"


async def static(request: Request) -> Response:
    """Return a script or style of the pages."""
    kind = STATIC.get(name := request.path_params["name"])
    if kind is None:
        raise HTTPException(404)
    return Response(assets.text(name), media_type=kind)


class EventStream(StreamingResponse):
    """Server-sent events, which are refused where their holder, or everybody together, has too many streams open."""

    def __init__(self, events: AsyncIterator[bytes], shares: Shares, holder: str) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._shares = shares
        self._holder = holder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client goes away; to HEAD only the headers. Raises: HTTPException 503."""
        if scope["method"] == "HEAD":
            await Response(headers=dict(self.headers))(scope, receive, send)
            return
        with self._shares.one_more(self._holder) as admitted:
            if not admitted:
                raise HTTPException(503, TOO_MANY, RETRY_AFTER)
            await super().__call__(scope, receive, send)


def public_stream(channel: Channel, crowd: Crowd, request: Request) -> Response:
    """Return the events of a channel for anybody, counted by the address from which they are asked for."""
    return EventStream(channel.listen(), crowd.visitors, sender(request.client.host if request.client else ""))


def json_response(document: bytes) -> Response:
    """Return a JSON document."""
    return Response(document, media_type="application/json")


def problem_handler(home: str | None) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers HTTP errors on a site with this start page, None: it has none that all may see."""

    async def problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return refusal(request, error.status_code, error.detail, error.headers, home=home)

    return problem


def refusal(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None, home: str | None = "/"
) -> Response:
    """Return why an address shows nothing: as a page to a browser that asks for one, otherwise as a line of text."""
    said = NOTHING_HERE if detail == HTTPStatus(404).phrase else detail  # the phrase says nothing that the title does not
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(problem_page(status, said, home), status, headers)
    return PlainTextResponse(f"{said}\n", status, headers)
