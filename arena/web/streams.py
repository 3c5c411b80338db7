"""Responses that several applications send: files of the pages, event streams, JSON and errors."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from arena.reports.page import assets
from arena.web.channel import Channel
from arena.web.pages import STATIC, problem_page


async def static(request: Request) -> Response:
    """Return a script or style of the pages."""
    kind = STATIC.get(name := request.path_params["name"])
    if kind is None:
        raise HTTPException(404)
    return Response(assets.text(name), media_type=kind)


def stream(channel: Channel) -> Response:
    """Return the events of a channel, as server-sent events."""
    return StreamingResponse(channel.listen(), media_type="text/event-stream")


def json_response(document: bytes) -> Response:
    """Return a JSON document."""
    return Response(document, media_type="application/json")


async def problem(request: Request, error: Exception) -> Response:
    """Return an HTTP error: as a page to a browser that asks for one, otherwise as a line of text."""
    assert isinstance(error, HTTPException)
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(problem_page(error.status_code, error.detail), error.status_code)
    return PlainTextResponse(error.detail, error.status_code)
