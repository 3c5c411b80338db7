"""Responses that several applications send: files of the pages, JSON and errors."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from arena.reports.html_page import render
from arena.reports.page import assets
from arena.suggestions import capital
from arena.web.guard import Guard

STATIC = {  # the files that are served, with their media types: the styles and scripts of the pages; no other file is
    str(path.relative_to(assets.FOLDER)): f"text/{kind}; charset=utf-8"
    for ending, kind in (("css", "css"), ("js", "javascript"))
    for path in assets.FOLDER.rglob(f"*.{ending}")
}
NOTHING_HERE = "there is nothing at this address"


async def static(request: Request) -> Response:
    """Return a script or style of the pages."""
    kind = STATIC.get(name := request.path_params["name"])
    if kind is None:
        raise HTTPException(404)
    return Response(assets.text(name), media_type=kind)


async def read_body(request: Request, most: int, too_long: str) -> bytes:
    """Return the body of a request. Raises: HTTPException: 413 ``too_long`` above ``most`` bytes, 400 if the client goes away."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise HTTPException(413, too_long)
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed") from None
    return body


class NumberConvertor(IntegerConvertor):
    """``{name:number}`` in paths: at most nine digits.

    Starlette's ``int`` has no limit, and Python converts no text of more than 4,300 digits.
    """

    regex = "[0-9]{1,9}"


register_url_convertor("number", NumberConvertor())


def json_response(document: str | bytes, status: int = 200) -> Response:
    """Return a JSON document."""
    return Response(document, status, media_type="application/json")


def problem_handler(home: str | None) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return a handler of HTTP errors for a site with this start page, None: it has no public one."""

    async def problem(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return refusal(request, error.status_code, error.detail, error.headers, home=home)

    return problem


def refusal(
    request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None, home: str | None = "/"
) -> Response:
    """Return the reason why an address shows nothing: as a page to a browser that asks for one, otherwise as a line of text."""
    reason = NOTHING_HERE if detail == HTTPStatus(404).phrase else detail  # the phrase says nothing that the title does not
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(problem_page(status, reason, home), status, headers)
    return PlainTextResponse(f"{reason}\n", status, headers)


def problem_page(status: int, problem: str, home: str | None = "/") -> str:
    """Return the page that says why an address shows nothing; ``home`` is the start page, None: there is none that all may see."""
    title = "Page not found" if status == 404 else "This page cannot be shown"
    return render("problem.html", title=title, problem=f"{capital(problem)}.", home=home)


def small_application(
    routes: Sequence[BaseRoute], allowed: Collection[str], methods: Collection[str] = ("GET", "HEAD"), home: str | None = "/"
) -> Starlette:
    """Return an application with these routes and the files of the pages; ``allowed`` are the Host headers that it accepts."""
    return Starlette(
        routes=[Route("/static/{name:path}", static), *routes],
        middleware=[Middleware(Guard, allowed=allowed, methods=methods)],
        exception_handlers={HTTPException: problem_handler(home)},
    )
