"""The manual in a browser: each page as HTML, in the design of all pages."""

import asyncio
import re
from collections.abc import Callable, Collection
from functools import cache, partial
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.reports.html_page import render
from arena.runs import manual
from arena.web.responses import small_application

TABLE = '<div class="scroll" tabindex="0" role="group" aria-label="Table">'


def app(allowed: Collection[str], *, read: Callable[[str], str] = manual.markdown) -> Starlette:
    """Return the application; ``allowed`` are the Host headers that it accepts, and ``read`` returns the text of a page."""
    pages = cache(partial(manual_page, read=read))

    async def page(request: Request) -> Response:
        name = request.path_params["page"]
        if name not in manual.pages():
            raise HTTPException(404, "page not found")
        return HTMLResponse(await asyncio.to_thread(pages, name))

    return small_application([Route("/", index), Route("/{page}", page)], allowed)


async def index(_: Request) -> Response:
    """Return the list of pages."""
    return HTMLResponse(await asyncio.to_thread(index_page))


@cache
def index_page() -> str:
    """Return the list of pages as HTML."""
    titles = {name: manual.title(name) for name in manual.pages()}
    return render("manual_index.html", titles=titles)


def manual_page(name: str, *, read: Callable[[str], str] = manual.markdown) -> str:
    """Return a page as HTML."""
    title = manual.title(name)
    content = Markup(html(name, read(name)))  # noqa: S704 - a file of this package, whose own HTML is escaped
    return render("manual.html", title=title, content=content)


def html(name: str, text: str) -> str:
    """Return the text of a page as HTML, whose headings have anchors."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(manual.with_links(name, text, lambda words, page, anchor: f"[{words}](/{page}#{anchor})"))
    for opening, inner in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", _anchor(inner.content))
    made = str(parser.renderer.render(tokens, parser.options, {}))
    return made.replace("<table>", f"{TABLE}<table>").replace("</table>", "</table></div>")


def _anchor(heading: str) -> str:
    """Return the anchor by which links name a heading: its words, as code hosts write them."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
