"""The manual in a browser: each page as HTML, in the design of all pages."""

import asyncio
from collections.abc import Callable, Collection
from functools import cache, partial
from itertools import pairwise
from urllib.parse import quote

from markdown_it import MarkdownIt
from markupsafe import Markup
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.reports.html_page import render
from arena.runs import manual
from arena.runs.manual_links import anchor, with_links
from arena.runs.manual_search import Excerpt, search
from arena.web.responses import small_application

MOST_WORDS = 100  # characters of a search
TABLE = '<div class="scroll" tabindex="0" role="group" aria-label="Table">'


def app(allowed: Collection[str], *, read: Callable[[str], str] = manual.markdown) -> Starlette:
    """Return the application; ``allowed`` are the Host headers that it accepts, and ``read`` returns the text of a page."""
    texts = cache(read)
    pages = cache(partial(manual_page, read=texts))

    async def page(request: Request) -> Response:
        name = request.path_params["page"]
        if name not in manual.pages():
            raise HTTPException(404, "page not found")
        return HTMLResponse(await asyncio.to_thread(pages, name))

    async def index(request: Request) -> Response:
        words = request.query_params.get("find", "")[:MOST_WORDS]
        return HTMLResponse(await asyncio.to_thread(index_page, words, read=texts))

    return small_application([Route("/", index), Route("/{page}", page)], allowed)


class ListedPage(Struct, frozen=True):
    """A page as the list shows it."""

    name: str
    title: str
    sentence: Markup
    excerpt: Excerpt | None = None  # around the words that were looked for; None: the sentence is shown

    @property
    def place(self) -> str:
        """Return the address of the heading above the excerpt."""
        return _place(self.name, anchor(self.excerpt.heading) if self.excerpt else "")


def index_page(words: str = "", *, read: Callable[[str], str] = manual.markdown) -> str:
    """Return the list of the pages that have all the ``words`` as HTML, in groups."""
    found = search(words, read)
    groups = {group: [_listed(name, found[name]) for name in names if name in found] for group, names in manual.groups().items()}
    return render("manual_index.html", groups=groups, words=words, shown=len(found))


def _listed(name: str, excerpt: Excerpt | None) -> ListedPage:
    sentence = with_links(name, manual.first_sentence(name), lambda words, _, __: words)
    shown = Markup(MarkdownIt("commonmark", {"html": False}).renderInline(sentence))  # noqa: S704 - its own HTML is escaped
    return ListedPage(name, manual.title(name), shown, excerpt)


def manual_page(name: str, *, read: Callable[[str], str] = manual.markdown) -> str:
    """Return a page as HTML."""
    title = manual.title(name)
    content = Markup(html(name, read(name)))  # noqa: S704 - a file of this package, whose own HTML is escaped
    return render("manual.html", title=title, content=content)


def html(name: str, text: str) -> str:
    """Return the text of a page as HTML, whose headings have anchors."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(with_links(name, text, lambda words, page, heading: f"[{words}]({_place(page, heading)})"))
    for opening, inner in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", anchor(inner.content))
    made = str(parser.renderer.render(tokens, parser.options, {}))
    return made.replace("<table>", f"{TABLE}<table>").replace("</table>", "</table></div>")


def _place(page: str, heading: str) -> str:
    """Return the address of a heading by its anchor, or without one that of the page."""
    return f"/{quote(page)}{'#' * bool(heading)}{quote(heading)}"
