"""A search in the manual: the pages that have all words, each with an excerpt around the first place with most of them."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from arena.errors import InputError
from arena.runs import manual

BEFORE, LENGTH = 80, 220  # characters of an excerpt before its first hit, and in all
_MARKUP = re.compile(r"^```\w*$|`{1,3}|\*\*|^\|[-| :]+\|$|^\||\|$|^[-*] |^> ", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]+)\]\([^)\s]+\)")


class Excerpt(Struct, frozen=True):
    """A piece of a page's plain text around a hit."""

    heading: str  # above it, as its page has it; empty: the text before the first one
    parts: tuple[tuple[str, bool], ...]  # the text, and whether that part is a hit


class _Block(Struct, frozen=True):
    """A paragraph, table or list, as plain text in one line."""

    heading: str
    text: str


def search(words: str, read: Callable[[str], str] = manual.markdown) -> dict[str, Excerpt | None]:
    """Return the names of the pages that have all words, in any case, with the text around these; ``read`` returns a page's text.

    None: the words stand in the name or the links of the page alone. First come those that have the words one after the other, in a
    heading or in the text, otherwise the order is that of the manual.
    """
    wanted = words.casefold().split()
    pages = {name: _text(name, read) for name in manual.pages()}
    having = [name for name, text in pages.items() if all(word in f"{name} {text}".casefold() for word in wanted)]
    phrase = " ".join(wanted)
    headed = re.compile(rf"^#.*{re.escape(phrase)}", re.MULTILINE)

    def order(name: str) -> tuple[bool, bool]:
        text = pages[name].casefold()
        return not headed.search(text), phrase not in text

    return {name: _excerpt(_blocks(pages[name]), wanted) for name in sorted(having, key=order)}


def _text(name: str, read: Callable[[str], str]) -> str:
    try:
        return read(name)
    except InputError:
        return ""


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a page, without its title."""
    heading, is_code = "", False
    for block in text.split("\n\n")[1:]:
        if block.startswith("#") and not is_code:
            heading, _, block = block.lstrip("# ").partition("\n")  # noqa: PLW2901 - what stands below it, if it has no blank line
            heading = plain(heading)
        if shown := plain(block):
            yield _Block(heading, shown)
        is_code ^= bool(block.count("```") % 2)


def plain(markdown: str) -> str:
    """Return Markdown in one line, without its marks."""
    without = _MARKUP.sub("", _LINK.sub(r"\1", markdown))
    return " ".join(without.replace(" | ", " · ").split())


def _excerpt(blocks: Iterator[_Block], wanted: Sequence[str]) -> Excerpt | None:
    """Return an excerpt of the first block with most of the words, best one after the other; None: no block has any."""
    phrase, hit = " ".join(wanted), _pattern(wanted)

    def worth(block: _Block) -> tuple[bool, int]:
        return phrase in block.text.casefold(), _distinct(hit, block.text)

    best = max(blocks, key=worth, default=None)
    if best is None or not wanted:
        return None
    places = [found.start() for found in hit.finditer(best.text)]
    if not places:
        return None
    around = best.text.casefold().find(phrase)
    if around < 0:
        around = max(places, key=lambda place: _distinct(hit, best.text[place : place + LENGTH - BEFORE]))
    return Excerpt(best.heading, tuple(_marked(_cut(best.text, around), hit)))


def _pattern(wanted: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern of any of some words, each from the beginning of a word on."""
    ordered = sorted(wanted, key=len, reverse=True)
    starts = (r"(?<!\w)" if word[0].isalnum() else "" for word in ordered)
    return re.compile("|".join(start + re.escape(word) for start, word in zip(starts, ordered, strict=True)), re.IGNORECASE)


def _distinct(hit: re.Pattern[str], text: str) -> int:
    """Return how many different hits a text has."""
    return len({found.casefold() for found in hit.findall(text)})


def _cut(text: str, hit: int) -> str:
    """Return the text around a hit, cut between words, with an ellipsis where it is cut."""
    start = text.rfind(" ", 0, hit - BEFORE) + 1 if hit > BEFORE else 0
    end = len(text) if len(text) <= start + LENGTH else max(text.rfind(" ", 0, start + LENGTH), hit + BEFORE)
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _marked(text: str, hit: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, and whether each is a hit."""
    last = 0
    for found in hit.finditer(text):
        if found.start() > last:
            yield text[last : found.start()], False
        yield found[0], True
        last = found.end()
    if last < len(text):
        yield text[last:], False
