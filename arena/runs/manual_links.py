"""Links between pages of the manual, and those of a page that lead nowhere.

A page links to another one by its path, or by its name as ``arena:NAME#heading``, from a plugin's page to one of arena. A link to a
page that is not installed becomes its text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath

from arena.errors import PluginError
from arena.runs import manual
from arena.runs.manual_search import plain
from arena.suggestions import did_you_mean

SCHEME = "arena:"  # how a link by the name of a page begins
_LINK = re.compile(r"`[^`\n]+`|(!?)\[([^\]]+)\]\(([^)\s]+)\)")  # or code, in which none is
_FENCED = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def with_links(name: str, text: str, format_link: Callable[[str, str, str], str]) -> str:
    """Return the text of a page with each link to another page as ``format_link(text, page, anchor)`` returns it.

    Links to web addresses stay as they are, links to other files become their text, and pictures theirs in italics.
    """

    def replace_link(link: re.Match[str]) -> str:
        picture, words, where = link.groups()
        if where is None or _is_address(where):
            return link[0]
        found = _target(name, where)
        return f"*{words}*" if picture else format_link(words, *found) if found else words

    parts = _FENCED.split(text)
    return "".join(part if part.startswith("```") else _LINK.sub(replace_link, part) for part in parts)


def anchor(heading: str) -> str:
    """Return the anchor by which links name a heading, in Markdown or plain: its words, as code hosts write them."""
    return re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")


def broken_links(path: Path, read: Callable[[str], str] = manual.markdown) -> list[str]:
    """Return a line for each link of a page that leads nowhere, with its place; ``read`` returns the text of a page by its name.

    Addresses in the web are not looked up. Raises: OSError, if the page cannot be read; PluginError.
    """
    text, found = path.read_text(encoding="utf-8"), []
    at = 0
    for part in _FENCED.split(text):
        for link in () if part.startswith("```") else _LINK.finditer(part):
            where = link[3]
            if where and not _is_address(where) and (problem := _problem(path, text, where, read)):
                found.append(f"{path.name}, line {text.count(chr(10), 0, at + link.start()) + 1}: {where}: {problem}")
        at += len(part)
    return found


def _is_address(where: str) -> bool:
    return "://" in where or where.startswith("mailto:")


def _problem(path: Path, text: str, where: str, read: Callable[[str], str]) -> str:
    """Return why a link of a page leads nowhere; empty: it leads somewhere."""
    place, _, heading = where.partition("#")
    if place.startswith(SCHEME):
        page = place.removeprefix(SCHEME)
        if page not in manual.pages():
            return f"no page {page!r}; {did_you_mean(page.lower(), manual.pages())}arena docs lists them"
        text = read(page)
    elif place:
        other = path.parent / place
        if not other.exists():
            return f"no such file; to a page of arena: {SCHEME}NAME, by its name in arena docs"
        if other.suffix != ".md":
            return ""
        text = other.read_text(encoding="utf-8")
    anchors = {anchor(one) for one in _headings(text)}
    if not heading or heading in anchors:
        return ""
    return f"no heading {heading!r}; {did_you_mean(heading, anchors)}expected the words of a heading, as the-cost-of-a-fault"


def _headings(text: str) -> Iterator[str]:
    for part in _FENCED.split(text):
        if not part.startswith("```"):
            yield from _HEADING.findall(part)


def _target(name: str, link: str) -> tuple[str, str] | None:
    """Return the page and anchor of a link in a page; None: it leads to no page of the manual that is here."""
    path, _, heading = link.partition("#")
    found = _page(name, path, manual.PAGES) or _page(name, path, _all_pages())
    return (found, heading) if found else None


def _page(name: str, path: str, known: Mapping[str, str]) -> str:
    """Return the page at a path that a page names, among those that are known; empty: there is none."""
    if path.startswith(SCHEME):
        return page if (page := path.removeprefix(SCHEME)) in known else ""
    if name not in known:
        return ""
    place = normpath(join(dirname(known[name]), path)) if path else known[name]
    return next((page for page, file in known.items() if file in (place, f"{place}/README.md")), "")


def _all_pages() -> Mapping[str, str]:
    """Return all pages; arena's own, if a plugin cannot be loaded."""
    try:
        return manual.pages()
    except PluginError:
        return manual.PAGES
